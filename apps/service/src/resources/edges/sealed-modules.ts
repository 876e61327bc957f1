import type { EdgeModuleName } from '@tunnel/models'
import type { SealedParts } from '../kernel/definition.ts'
import type { ModuleBodies } from './modules.ts'

/** Their fields hold secrets: shared ones of webhooks, client secrets, passwords of basic-auth rules. */
const secretive: readonly EdgeModuleName[] = [
  'webhook_verification',
  'policy',
  'traffic_policy',
  'oauth',
  'oidc',
  'saml',
]

/** What stands in a stored body in place of a sealed module. */
const sealedMark = 'sealed'

type StoredModules = Readonly<Record<string, unknown>>

interface WithModules {
  readonly modules: ModuleBodies
}

/** Modules that can hold secrets are stored sealed as a whole. */
export function sealedModules<Body extends WithModules>(): SealedParts<Body> {
  return {
    take: (body) => {
      const present = secretive.filter((name) => body.modules[name] !== undefined)
      const marks = Object.fromEntries(present.map((name) => [name, sealedMark]))
      const secrets = Object.fromEntries(present.map((name) => [name, JSON.stringify(body.modules[name])]))
      return { open: { ...body, modules: { ...body.modules, ...marks } }, secrets }
    },
    names: ({ modules }) => secretive.filter((name) => (modules as StoredModules)[name] === sealedMark),
    put: (open, secrets) => {
      const modules = { ...open.modules, ...Object.fromEntries(secretive.map((name) => [name, opened(secrets[name])])) }
      return { ...open, modules }
    },
  }
}

/** Undefined also for one that was deleted between the reading of the row and of its secrets. */
function opened(text: string | undefined): object | undefined {
  return text === undefined ? undefined : (JSON.parse(text) as object)
}
