import type { FastifyInstance } from 'fastify'
import { ServiceError } from '@tunnel/models'
import type { TunnelRecord } from '../tunnels/tunnel-record.ts'
import type { TunnelInput } from '../tunnels/tunnels.ts'
import { checkBody } from './body-check.ts'
import { CreateTunnelBody, readTunnelInput, writeTunnel } from './tunnel-wire.ts'

export interface TunnelService {
  list(): readonly TunnelRecord[]
  create(input: TunnelInput): Promise<TunnelRecord>
  delete(urlPart: string): Promise<void>
}

export function tunnelRoutes(app: FastifyInstance, tunnels: TunnelService): void {
  app.get('/tunnels', () =>
    tunnels.list().map((record) => writeTunnel(record, record.policy && JSON.stringify(record.policy))),
  )

  app.post('/tunnels', async (request) => {
    const body = checkBody(CreateTunnelBody, request.body)
    return writeTunnel(await tunnels.create(readTunnelInput(body)), body.policy ?? null)
  })

  // A wildcard, because a whole url has slashes, whether or not the caller has encoded them.
  app.delete<{ Params: { '*': string } }>('/tunnels/*', async ({ params }) => {
    if (params['*'] === '') throw new ServiceError('tunnel_not_found')
    await tunnels.delete(params['*'])
    return { detail: 'Tunnel deleted' }
  })
}
