import { apiKeyModel } from '@tunnel/models'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import type { CallReader } from '../../api/caller.ts'
import { refTo } from '../kernel/refs.ts'

const Self = Type.Object(
  {
    uri: Type.String(),
    account_id: Type.String(),
    owner_id: Type.String(),
    api_key: Type.Union([Type.Object({ id: Type.String(), uri: Type.String() }), Type.Null()]),
  },
  { $id: 'Self', additionalProperties: false },
)

/** `GET /` tells a caller whose key it uses: the first call of existing quick starts. */
export function selfRoutes(app: FastifyInstance, callOf: CallReader): void {
  const schema = { tags: ['self'], summary: 'Read who calls', response: { 200: Self } }
  app.get('/', { schema }, (request) => {
    const call = callOf(request)
    const { accountId, ownerId, apiKeyId } = call.caller
    const api_key = apiKeyId === null ? null : refTo(call, apiKeyId, apiKeyModel)
    return { uri: `${call.baseUrl}/`, account_id: accountId, owner_id: ownerId, api_key }
  })
}
