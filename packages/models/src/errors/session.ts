import { defineErrors } from './definition.ts'

/** Reasons for which the service refuses a session or a bind. */
export const sessionErrors = defineErrors({
  authtoken_malformed: {
    code: 105,
    status: 403,
    owner: 'agent',
    msg: 'The authtoken is not well formed. Copy it again from where it was created.',
  },
  authtoken_invalid: {
    code: 107,
    status: 403,
    owner: 'agent',
    msg: 'The authtoken is unknown. Create a new one and give it to this agent.',
  },
  authtoken_revoked: {
    code: 300,
    status: 403,
    owner: 'agent',
    msg: 'The authtoken was revoked. Create a new one and give it to this agent.',
  },
  bind_name_refused: {
    code: 316,
    status: 403,
    owner: 'agent',
    msg: 'The ACL of credential {credentialId} does not allow {name}. Add the rule bind:{name} or choose another name.',
  },
  endpoint_taken: {
    code: 334,
    status: 409,
    owner: 'agent',
    msg: 'The address {name} is already online in another session.',
  },
})
