import { ServiceError } from '@tunnel/models'
import { type CompileOptions, type CompileResult, compilePolicy } from '@tunnel/policy-engine'
import { moduleDocuments, type PolicyModuleName, policyModuleNames, type PolicyModules } from './module-documents.ts'
import type { PolicyCompiler, PolicyPlace } from './policy-compiler.ts'
import { checkingHost, type PrivateHosts } from './private-hosts.ts'
import { unreadable } from './read-policy-text.ts'

/** A module that works as a policy. */
export interface CompiledModule {
  /** Null: it is stored, but cannot run any more. */
  readonly policy: unknown
  readonly refusal: 'circuit_open' | 'webhook_refused' | null
}

const refusals: Partial<Record<PolicyModuleName, NonNullable<CompiledModule['refusal']>>> = {
  circuit_breaker: 'circuit_open',
  webhook_verification: 'webhook_refused',
}

/** Compiles those modules of a route or edge that are switched on. The owner keeps the counters of a module over its changes. */
export function compileModules(modules: PolicyModules, place: PolicyPlace, compiler: PolicyCompiler): CompiledModule[] {
  return policyModuleNames.flatMap((name) => {
    const document = documentOf(name, modules)
    if (document === undefined) return []
    const result = compiler.check(document, { ...place, owner: `${place.owner} ${name}` })
    return [{ policy: result.ok ? result.policy : null, refusal: refusals[name] ?? null }]
  })
}

function documentOf(name: PolicyModuleName, modules: PolicyModules): unknown {
  const module = modules[name]
  return module?.enabled === true ? moduleDocuments[name](module as never) : undefined
}

/** Throws `ServiceError` with the first problem of a module that works as a policy; any other module is not looked at. */
export type ModuleCheck = (name: string, module: object, edge: 'https' | 'tcp' | 'tls') => void

export function moduleCheck(privateHosts: PrivateHosts): ModuleCheck {
  const host = checkingHost(privateHosts)
  return (name, module, edge) => {
    if (isPolicyModule(name)) checkModule(name, module, { protocol: edge === 'https' ? 'http' : edge, host })
  }
}

function checkModule(name: PolicyModuleName, module: object, options: CompileOptions): void {
  const result = tryToCompile(name, module, options)
  if (result.ok) return
  const { path = '$', message = 'it cannot be compiled' } = result.problems[0] ?? {}
  // Only these two were written as policies: a place in any other document would say nothing.
  if (name === 'policy' || name === 'traffic_policy')
    throw new ServiceError('policy_invalid', { path, problem: message })
  throw new ServiceError('field_invalid', { field: name, problem: `cannot be used: ${message}` })
}

function isPolicyModule(name: string): name is PolicyModuleName {
  return (policyModuleNames as readonly string[]).includes(name)
}

function tryToCompile(name: PolicyModuleName, module: object, options: CompileOptions): CompileResult {
  try {
    return compilePolicy(moduleDocuments[name](module as never), options)
  } catch (error) {
    throw new ServiceError('policy_invalid', { path: '$', problem: unreadable(error) }, { cause: error })
  }
}
