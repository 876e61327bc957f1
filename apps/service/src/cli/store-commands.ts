import { resolve } from 'node:path'
import { resealRootFile } from '../certs/local-ca/root-file.ts'
import { backupTo, restoreFrom } from '../storage/backup.ts'
import { openStorage } from '../storage/open-storage.ts'
import { Sealer } from '../storage/sealer.ts'
import { type Command, printResult } from './command.ts'

export const backup: Command = {
  name: ['backup'],
  usage: 'backup FILE',
  options: {},
  positionals: 1,
  async run(input) {
    const file = resolve(input.files[0] ?? '')
    await backupTo(file, input.settings)
    printResult(input, { file }, [`backup written to ${file}; it holds the master keys: keep it safe`])
  },
}

export const restore: Command = {
  name: ['restore'],
  usage: 'restore FILE',
  options: {},
  positionals: 1,
  async run(input) {
    restoreFrom(resolve(input.files[0] ?? ''), input.settings)
    // Opening it proves that this release can read it.
    await using _storage = await openStorage(input.settings)
    printResult(input, {}, ['restored; start the service'])
  },
}

export const rotateMasterKey: Command = {
  name: ['master-key', 'rotate'],
  usage: 'master-key rotate',
  options: {},
  positionals: 0,
  async run(input) {
    await using storage = await openStorage(input.settings)
    storage.masterKeys.rotate()
    const count = (await storage.records.secrets.resealOld()) + (await storage.values.resealOld())
    await resealRootFile(input.settings.dataDir, new Sealer(storage.masterKeys))
    // Older keys go last: until here everything can still be opened.
    storage.masterKeys.dropOld()
    printResult(input, { resealed: count }, [`${count} secrets sealed with a new master key; restart the service`])
  },
}
