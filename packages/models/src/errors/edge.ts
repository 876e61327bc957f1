import { defineErrors } from './definition.ts'

/** Failures that a visitor sees at the edge. Numbers follow the hosted product where it documents one. */
export const edgeErrors = defineErrors({
  endpoint_not_found: {
    code: 3200,
    status: 404,
    owner: 'visitor',
    msg: 'Nothing is published at {host}. Check the address, or create a tunnel for it.',
  },
  agent_offline: {
    code: 3201,
    status: 503,
    owner: 'agent',
    retryable: true,
    msg: 'The agent that serves {host} is offline. It reconnects by itself; try again shortly.',
  },
  upstream_unreachable: {
    code: 8012,
    status: 502,
    owner: 'upstream',
    retryable: true,
    msg: 'The agent could not reach the program at {address}: {cause}. Start the program or correct forwards_to.',
  },
  upstream_timeout: {
    code: 8013,
    status: 504,
    owner: 'upstream',
    retryable: true,
    msg: 'The program at {address} did not answer within {seconds} seconds.',
  },
})
