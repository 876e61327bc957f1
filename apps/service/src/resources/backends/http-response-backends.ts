import {
  type HttpResponseBackend,
  ServiceError,
  headerNameMaxBytes,
  headerValueMaxBytes,
  httpResponseBackendModel,
} from '@tunnel/models'
import { isConnectionField } from '@tunnel/policy-engine'
import { defineResource } from '../kernel/definition.ts'
import { headerProblem, lowerCaseNames } from './header-fields.ts'

const defaultStatus = 200
const headersMax = 64

type HttpResponseBody = Omit<HttpResponseBackend, 'id' | 'uri' | 'created_at'>

export const httpResponseBackends = defineResource<typeof httpResponseBackendModel, HttpResponseBody>({
  model: httpResponseBackendModel,
  create: ({ body = '', headers, status_code = defaultStatus, ...texts }) => ({
    body: { ...texts, body, headers: headers === undefined ? null : readHeaders(headers), status_code },
  }),
  update: (stored, { headers, ...changes }) => ({
    ...stored,
    ...changes,
    ...(headers === undefined ? {} : { headers: readHeaders(headers) }),
  }),
  reply: ({ body }) => body,
  inUse: 'backend_in_use',
})

function readHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  const problem = headerProblem(headers)
  const ofConnection = Object.keys(headers).find(isConnectionField)
  if (ofConnection !== undefined) throw new ServiceError('response_header_of_connection', { name: ofConnection })
  if (Object.keys(headers).length > headersMax)
    throw new ServiceError('field_invalid', { field: 'headers', problem: `has more than ${headersMax} entries` })
  if (problem?.kind === 'value')
    throw new ServiceError('response_header_value_invalid', { name: problem.name, max: headerValueMaxBytes })
  if (problem !== null)
    throw new ServiceError('response_header_name_invalid', { name: problem.name, max: headerNameMaxBytes })
  return lowerCaseNames(headers)
}
