import { defineErrors } from './definition.ts'

/** Failures that a visitor sees at the edge. Numbers follow the hosted product where it documents one; 3800 to 3899 are ours. */
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
  http_malformed: {
    code: 3800,
    status: 400,
    owner: 'visitor',
    msg: 'The request is not acceptable HTTP: {rule}.',
  },
  request_headers_too_large: {
    code: 3801,
    status: 431,
    owner: 'visitor',
    msg: 'The headers of the request are too large or too many. Send fewer cookies or shorter values.',
  },
  request_too_slow: {
    code: 3802,
    status: 408,
    owner: 'visitor',
    retryable: true,
    msg: 'The request did not arrive within the time limit.',
  },
  request_misdirected: {
    code: 3803,
    status: 421,
    owner: 'visitor',
    msg: 'The certificate of this connection does not cover {host}. Connect to {host} by its own name.',
  },
  method_not_offered: {
    code: 3804,
    status: 405,
    owner: 'visitor',
    msg: 'The method {method} is not offered by the public edge.',
  },
  pipeline_too_long: {
    code: 3805,
    status: 429,
    owner: 'visitor',
    retryable: true,
    msg: 'Too many unanswered requests on one connection. Wait for replies, or open another connection.',
  },
  service_draining: {
    code: 3806,
    status: 503,
    owner: 'service',
    retryable: true,
    msg: 'The service is restarting. Try again shortly.',
  },
  edge_failure: {
    code: 3807,
    status: 500,
    owner: 'service',
    retryable: true,
    msg: 'The service could not handle the request because of an error of its own.',
  },
  upstream_response_invalid: {
    code: 3004,
    status: 502,
    owner: 'upstream',
    msg: 'The program at {address} did not answer with valid HTTP: {rule}.',
  },
  upstream_connection_lost: {
    code: 3808,
    status: 502,
    owner: 'upstream',
    retryable: true,
    msg: 'The connection to the program at {address} was lost before it answered.',
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
