import { defineErrors } from './definition.ts'

/** Failures around the policies of tunnels. */
export const policyErrors = defineErrors({
  policy_invalid: {
    code: 2236,
    status: 400,
    owner: 'caller',
    msg: 'The policy is not valid. {path}: {problem}.',
  },
  policy_forward_unavailable: {
    code: 3810,
    status: 503,
    owner: 'agent',
    retryable: true,
    msg: 'The policy hands this request to {url}, which is not online.',
  },
  policy_forward_loop: {
    code: 3811,
    status: 508,
    owner: 'caller',
    msg: 'The policies of the tunnels hand this request around in a circle.',
  },
})
