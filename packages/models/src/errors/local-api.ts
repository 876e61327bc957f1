import { defineErrors } from './definition.ts'

/** What the agent's local API refuses. Its replies carry the text alone, as `{"detail": …}`. */
export const localApiErrors = defineErrors({
  tunnel_not_found: { code: null, status: 404, owner: 'caller', msg: 'Tunnel not found' },
  tunnel_ambiguous: {
    code: null,
    status: 409,
    owner: 'caller',
    msg: '"{part}" means several tunnels: {candidates}. Give the whole url of one of them.',
  },
  tunnel_domain_taken: {
    code: null,
    status: 409,
    owner: 'caller',
    msg: 'This agent already has a tunnel for {domain}. Delete it first, or choose another domain.',
  },
  tunnel_domain_reserved: {
    code: null,
    status: 409,
    owner: 'caller',
    msg: '{domain} is the address of this API. Choose another domain.',
  },
  too_many_tunnels: {
    code: null,
    status: 409,
    owner: 'caller',
    msg: 'This agent has {max} tunnels, the most it keeps. Delete one first.',
  },
  tunnel_name_needs_session: {
    code: null,
    status: 503,
    owner: 'service',
    retryable: true,
    msg: 'The agent is not connected, and the service chooses the address of this tunnel. Give a domain, or try again later.',
  },
  policy_file_unusable: {
    code: null,
    status: 503,
    owner: 'agent',
    msg: 'The policy file cannot be read as a JSON object. Correct the file, or give a policy with the tunnel.',
  },
  store_full: {
    code: null,
    status: 507,
    owner: 'agent',
    retryable: true,
    msg: 'The disk of this device is full. Nothing was changed; free some space and try again.',
  },
  store_unwritable: {
    code: null,
    status: 503,
    owner: 'agent',
    retryable: true,
    msg: 'The state directory of this device cannot be written. Nothing was changed; the log of the agent has the reason.',
  },
  host_not_allowed: {
    code: null,
    status: 403,
    owner: 'caller',
    msg: 'The Host header does not name this API. Use its address as the agent prints it.',
  },
  origin_not_allowed: { code: null, status: 403, owner: 'caller', msg: 'Pages of other sites may not use this API.' },
})
