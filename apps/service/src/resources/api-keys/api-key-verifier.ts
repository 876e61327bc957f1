import { ServiceError, apiKeyModel, credentialModel, idPrefix, parseToken } from '@tunnel/models'
import type { ApiKeyVerifier } from '../../api/caller.ts'
import { type Owners, isPerson, requireActiveOwner } from '../bot-users/owner.ts'
import type { Resource } from '../kernel/resource.ts'
import { matchesHash } from '../kernel/token.ts'
import type { ApiKeyBody } from './api-keys.ts'

interface VerifierParts {
  readonly apiKeys: Resource<typeof apiKeyModel, ApiKeyBody>
  readonly owners: Owners
  /** Whether the token is an agent's authtoken: a common mistake with an answer of its own. */
  readonly isAuthtoken: (token: string) => Promise<boolean>
}

/** Checks API keys: found by the id part of the token, compared by hash. */
export function createApiKeyVerifier({ apiKeys, owners, isAuthtoken }: VerifierParts): ApiKeyVerifier {
  return {
    async verify(token) {
      const parsed = parseToken(token)
      if (parsed === null) throw new ServiceError(reasonForNoToken(token))
      const key = await apiKeys.find(`${apiKeyModel.prefix}_${parsed.ksuid}`)
      if (key === undefined || !matchesHash(token, key.body.token_hash))
        throw new ServiceError((await isAuthtoken(token)) ? 'authtoken_as_api_key' : 'api_key_invalid')
      const ownerId = key.body.owner_id
      const isAdmin = isPerson(ownerId)
      if (!isAdmin) await requireActiveOwner(owners, ownerId)
      return { accountId: key.accountId, apiKeyId: key.id, ownerId, isAdmin }
    },
  }
}

function reasonForNoToken(text: string): 'api_key_id_as_api_key' | 'credential_id_as_api_key' | 'api_key_malformed' {
  if (idPrefix(text) === apiKeyModel.prefix) return 'api_key_id_as_api_key'
  return idPrefix(text) === credentialModel.prefix ? 'credential_id_as_api_key' : 'api_key_malformed'
}
