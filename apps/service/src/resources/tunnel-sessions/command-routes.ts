import { ServiceError, tunnelSessionModel } from '@tunnel/models'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { CallReader } from '../../api/caller.ts'
import type { SessionCommand, SessionDirectory } from './online.ts'

const versionMaxCharacters = 64

/**
 * Commands to the agent of a session; 204 means that the agent accepted. Existing clients send `{}`, nothing, the bare id
 * or other things as the body, with any content type: all of it is taken, and only a version is read from it.
 */
export function commandRoutes(app: FastifyInstance, directory: SessionDirectory, callOf: CallReader): void {
  void app.register((lenient, _options, done) => {
    lenient.removeAllContentTypeParsers()
    lenient.addContentTypeParser('*', { parseAs: 'string' }, (_request, text, parsed) => parsed(null, text))
    for (const command of ['restart', 'stop', 'update'] as const)
      lenient.post<{ Params: { id: string } }>(
        `${tunnelSessionModel.path}/:id/${command}`,
        {
          config: {
            refusals: [
              `command_${command}_unsupported`,
              `command_${command}_failed`,
              'command_in_progress',
              'command_unanswered',
            ],
          },
          schema: {
            tags: [tunnelSessionModel.title],
            summary: commandSummaries[command],
            response: { 204: { type: 'null' } },
          },
        },
        async (request, reply) => {
          const { accountId } = callOf(request).caller
          const session = directory.sessions(accountId).find(({ id }) => id === request.params.id)
          if (session === undefined) throw new ServiceError('not_found')
          await directory.command(session, readCommand(command, request))
          return reply.code(204).send()
        },
      )
    done()
  })
}

const commandSummaries = {
  restart: 'Have the agent restart itself',
  stop: 'Have the agent exit',
  update: 'Have the agent update itself within its major version',
}

function readCommand(command: SessionCommand['command'], { body }: FastifyRequest): SessionCommand {
  return command === 'update' ? { command, version: readVersion(body) } : { command }
}

function readVersion(body: unknown): string | undefined {
  try {
    const { version } = JSON.parse(String(body)) as { version?: unknown }
    return typeof version === 'string' && version !== '' && version.length <= versionMaxCharacters ? version : undefined
  } catch {
    return undefined
  }
}
