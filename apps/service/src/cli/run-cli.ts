import { parseArgs } from 'node:util'
import { ServiceError } from '@tunnel/models'
import { ConfigError, readConfig } from '../config.ts'
import { ReleaseShelfError } from '../releases/release-shelf.ts'
import { BackupError } from '../storage/backup.ts'
import { MigrationError } from '../storage/migrate.ts'
import { MasterKeyLostError } from '../storage/refuse-lost-keys.ts'
import { createAccount, createApiKey } from './account-commands.ts'
import { type Command, type CommandIo, UsageError } from './command.ts'
import { doctor, ExaminationFailed } from './doctor-command.ts'
import { generateReleaseKeys, listAgentReleases, publishAgentRelease, signAgentRelease } from './release-commands.ts'
import { checkPolicyFile } from './policy-commands.ts'
import { releaseRestrictions } from './restriction-commands.ts'
import { backup, restore, rotateMasterKey } from './store-commands.ts'

const exitCodes = { done: 0, failed: 1, wrongUsage: 64 }

const commands: readonly Command[] = [
  createAccount,
  createApiKey,
  releaseRestrictions,
  backup,
  restore,
  rotateMasterKey,
  generateReleaseKeys,
  signAgentRelease,
  publishAgentRelease,
  listAgentReleases,
  checkPolicyFile,
  doctor,
]

/** What the commands do, one line each. */
export const commandUsage = commands.map((command) => `  ${command.usage}`).join('\n')

/** Runs one command and returns the exit code of the process. */
export async function runCli(argv: readonly string[], env: NodeJS.ProcessEnv, io: CommandIo): Promise<number> {
  try {
    const command = commands.find(({ name }) => argv.slice(0, name.length).join(' ') === name.join(' '))
    if (command === undefined) throw new UsageError(`Unknown command: ${argv.join(' ')}\nCommands:\n${commandUsage}`)
    const args = readArguments(command, argv.slice(command.name.length))
    await command.run({ ...args, settings: readConfig(env), io })
    return exitCodes.done
  } catch (error) {
    io.stderr.write(`${messageOf(error)}\n`)
    return error instanceof UsageError || error instanceof ConfigError ? exitCodes.wrongUsage : exitCodes.failed
  }
}

function readArguments({ options, usage, positionals }: Command, args: readonly string[]) {
  try {
    const parsed = parseArgs({ args: [...args], options, allowPositionals: positionals > 0 })
    if (parsed.positionals.length !== positionals) throw new Error(`expected ${positionals} file name`)
    return { values: parsed.values, files: parsed.positionals }
  } catch (error) {
    throw new UsageError(`${error instanceof Error ? error.message : 'wrong arguments'}\nUsage: ${usage}`, {
      cause: error,
    })
  }
}

/** Expected failures speak for themselves; anything else shows where it comes from. */
function messageOf(error: unknown): string {
  const isExpected = [
    UsageError,
    ConfigError,
    ServiceError,
    BackupError,
    MasterKeyLostError,
    MigrationError,
    ReleaseShelfError,
    ExaminationFailed,
  ].some((type) => error instanceof type)
  if (isExpected) return (error as Error).message
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
