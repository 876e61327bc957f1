import { STATUS_CODES } from 'node:http'
import { ServiceError } from '@tunnel/models'
import type { AccountFilters, FixedResponse } from '../edge-route.ts'
import type { Exchange, Reply } from '../exchange.ts'
import { headerValue } from '../headers/header-list.ts'
import type { Stage } from '../pipeline.ts'
import { requireAllowed } from '../require-allowed.ts'

/** For names that an edge publishes: the path decides which route serves the request. */
export const route: Stage = (exchange, next) => {
  const { edge, request } = exchange
  if (edge === undefined) return next()
  const [path = ''] = request.target.split('?', 1)
  const found = edge.route(path)
  switch (found.kind) {
    case 'route':
      exchange.route = found.route
      return next()
    case 'none':
      throw new ServiceError('route_not_found', { host: request.hostName })
    case 'ambiguous':
      throw new ServiceError('path_ambiguous')
  }
}

/** Refuses addresses that the route or its account do not let in; nothing of the request has acted by then. */
export function restrictAddresses(accounts: AccountFilters): Stage {
  return (exchange, next) => {
    const { route: chosen, accountId, visitor } = exchange
    requireAllowed(chosen?.addressFilter ?? null, visitor.ip)
    if (accountId !== undefined) requireAllowed(accounts.find(accountId), visitor.ip)
    return next()
  }
}

/** Refuses programs that the route does not let in. */
export const restrictUserAgents: Stage = (exchange, next) => {
  const filter = exchange.route?.userAgentFilter ?? null
  if (filter !== null && !filter.isAllowed(headerValue(exchange.request.headers, 'user-agent') ?? ''))
    throw new ServiceError('user_agent_refused')
  return next()
}

/** Chooses where the route sends this request, unless a policy has chosen already. */
export const chooseBackend: Stage = (exchange, next) => {
  const { route: chosen, request } = exchange
  if (chosen === undefined || exchange.tunnel !== undefined) return next()
  const { backend } = chosen
  if (backend === null) throw new ServiceError('route_without_backend', { host: request.hostName })
  const choice = backend.choose([])
  switch (choice.kind) {
    case 'response':
      return exchange.answer(replyOf(choice.response, exchange))
    case 'none':
      throw new ServiceError('backend_offline', { host: request.hostName })
    case 'tunnel':
      exchange.use(choice)
      return next()
  }
}

function replyOf({ status, headers, body }: FixedResponse, { request }: Exchange): Reply {
  const length = status === 204 || status === 304 ? [] : ['content-length', String(body.length)]
  const head = { status, reason: STATUS_CODES[status] ?? '', headers: [...headers, ...length] }
  return { head, body: request.method === 'HEAD' || length.length === 0 ? Buffer.alloc(0) : body }
}
