import { ServiceError, type StaticBackend, staticBackendModel } from '@tunnel/models'
import { defineResource } from '../kernel/definition.ts'

type StaticBody = Omit<StaticBackend, 'id' | 'uri' | 'created_at'>

export const staticBackends = defineResource<typeof staticBackendModel, StaticBody>({
  model: staticBackendModel,
  create: ({ address, tls, ...texts }) => ({
    body: { ...texts, address: checkedAddress(address), tls: { enabled: tls?.enabled ?? false } },
  }),
  update: (body, { address = body.address, tls = body.tls, ...changes }) => ({
    ...body,
    ...changes,
    address: checkedAddress(address),
    tls: { enabled: tls.enabled ?? false },
  }),
  reply: ({ body }) => body,
  inUse: 'backend_in_use',
})

function checkedAddress(address: string): string {
  const [, host = '', port = ''] = /^(\[[0-9a-f:.]+\]|[a-z0-9.-]+):(\d{1,5})$/i.exec(address) ?? []
  if (host === '' || Number(port) < 1 || Number(port) > 65_535)
    throw new ServiceError('static_address_invalid', { field: 'address', problem: 'is not an address' })
  return address
}
