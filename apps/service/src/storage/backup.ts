import { existsSync, mkdirSync, openSync, closeSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync, backup as copyPages } from 'node:sqlite'
import { type StorageSettings, sqliteFile } from './open-storage.ts'
import { syncDirectory, syncFile } from './sync-to-disk.ts'

/** A backup or restore that cannot be done; the message says why and what to do. */
export class BackupError extends Error {
  override readonly name = 'BackupError'
}

/**
 * Writes a consistent copy of the embedded store and the service's key files to one SQLite file that only this user can read.
 * The service may run meanwhile. Whoever has the file can read every secret in it.
 */
export async function backupTo(file: string, settings: StorageSettings): Promise<void> {
  const source = embeddedFile(settings)
  if (!existsSync(source)) throw new BackupError(`There is no store at ${source}. Set SERVICE_DATA_DIR to where it is.`)
  if (existsSync(file)) throw new BackupError(`${file} exists already. Choose another name, or remove it first.`)
  const draft = `${file}.incomplete`
  createPrivateFile(draft)
  const store = new DatabaseSync(source, { readOnly: true })
  try {
    await copyPages(store, draft)
    addKeyFiles(draft, keyFiles(settings))
    syncFile(draft)
    renameSync(draft, file)
    syncDirectory(dirname(file))
  } finally {
    store.close()
    rmSync(draft, { force: true })
  }
}

/** Puts a backup in the place of a store that does not exist yet. The service must not run. */
export function restoreFrom(file: string, settings: StorageSettings): void {
  const target = embeddedFile(settings)
  if (!existsSync(file)) throw new BackupError(`There is no backup at ${file}.`)
  const places = keyFiles(settings)
  for (const existing of [target, ...Object.values(places)])
    if (existsSync(existing))
      throw new BackupError(`${existing} exists already. Stop the service and move it away first.`)
  mkdirSync(settings.dataDir, { recursive: true, mode: 0o700 })
  mkdirSync(dirname(settings.masterKeyFile), { recursive: true, mode: 0o700 })
  const draft = `${target}.incomplete`
  try {
    writeFileSync(draft, readFileSync(file), { mode: 0o600 })
    const kept = takeKeyFiles(draft)
    syncFile(draft)
    for (const [name, place] of Object.entries(places)) writePrivately(place, kept.get(name))
    renameSync(draft, target)
    syncDirectory(dirname(target))
  } finally {
    rmSync(draft, { force: true })
  }
}

function embeddedFile({ databaseUrl, dataDir }: StorageSettings): string {
  if (databaseUrl !== null)
    throw new BackupError(
      'The store is in PostgreSQL. Back it up with pg_dump, and copy the master key file beside it.',
    )
  return sqliteFile(dataDir)
}

/** What the service keeps beside its store: without them secrets stay shut, free names change and trust in the local CA ends. */
function keyFiles({ dataDir, masterKeyFile }: StorageSettings): Readonly<Record<string, string>> {
  return {
    'master.key': masterKeyFile,
    'identity.key': join(dirname(masterKeyFile), 'identity.key'),
    'local-ca.json': join(dataDir, 'local-ca.json'),
  }
}

/** A store that was never served has the master key alone. */
function addKeyFiles(file: string, places: Readonly<Record<string, string>>): void {
  const copy = new DatabaseSync(file)
  copy.exec('pragma journal_mode = delete; create table backup_files (name text primary key, content text not null)')
  const insert = copy.prepare('insert into backup_files values (?, ?)')
  for (const [name, place] of Object.entries(places))
    if (name === 'master.key' || existsSync(place)) insert.run(name, readFileSync(place, 'utf8'))
  copy.close()
}

function takeKeyFiles(file: string): Map<string, string> {
  const copy = new DatabaseSync(file)
  try {
    const rows = copy.prepare('select name, content from backup_files').all()
    copy.exec('drop table backup_files; vacuum')
    return new Map(rows.map(({ name, content }) => [String(name), String(content)]))
  } catch (error) {
    throw new BackupError(`This file is not a backup of the service, or it is damaged.`, { cause: error })
  } finally {
    copy.close()
  }
}

function writePrivately(file: string, content: string | undefined): void {
  if (content === undefined) return
  writeFileSync(file, content, { mode: 0o600 })
  syncFile(file)
}

function createPrivateFile(file: string): void {
  closeSync(openSync(file, 'w', 0o600))
}
