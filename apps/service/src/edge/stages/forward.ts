import { ServiceError } from '@tunnel/models'
import type { ForwardContext } from '../forward/forward-context.ts'
import { Forwarding } from '../forward/forwarding.ts'
import type { Stage } from '../pipeline.ts'

/** Last of all stages: sends the request to the agent, and the response back. */
export function forward(context: ForwardContext): Stage {
  return (exchange) => {
    const { tunnel } = exchange
    if (tunnel === undefined) throw new ServiceError('endpoint_not_found', { host: exchange.request.hostName })
    new Forwarding(exchange, tunnel, context).start()
  }
}
