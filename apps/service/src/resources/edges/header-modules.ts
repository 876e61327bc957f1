import { type EdgeModuleWrite, ServiceError, headerNameMaxBytes, headerValueMaxBytes } from '@tunnel/models'
import { headerProblem, isHeaderName, lowerCaseNames } from '../backends/header-fields.ts'

const addedMax = 5

/** Header names are shown in lower case; the same name twice would leave open which one counts. */
export function completeHeaders<M extends EdgeModuleWrite<'request_headers'>>(module: M): M {
  const { add = {}, remove = [] } = module
  if (Object.keys(add).length > addedMax)
    throw new ServiceError('module_headers_too_many', {
      field: 'add',
      problem: `must have at most ${addedMax} entries`,
    })
  const wrongName = remove.find((name) => !isHeaderName(name))
  const problem = headerProblem(add) ?? (wrongName === undefined ? null : { kind: 'name', name: wrongName })
  if (problem?.kind === 'twice') throw new ServiceError('module_header_twice', { name: problem.name })
  if (problem?.kind === 'value')
    throw new ServiceError('module_header_value_invalid', { name: problem.name, max: headerValueMaxBytes })
  if (problem !== null)
    throw new ServiceError('module_header_name_invalid', { name: problem.name, max: headerNameMaxBytes })
  return { ...module, add: lowerCaseNames(add), remove: remove.map((name) => name.toLowerCase()) }
}
