import { compilePattern, highestGroup, Pattern } from '../expressions/pattern.ts'
import { workFor } from '../expressions/budget.ts'
import type { PolicyExchange } from '../run/policy-exchange.ts'
import type { ActionContext } from './action.ts'

export interface Replacement {
  readonly url: string
  readonly matches: readonly string[]
}

/** `from` and `to` of redirects and rewrites: gives the address after replacement. Throws `TemplateError`, or on a bad pattern. */
export function compileReplacement(
  config: { readonly from?: string; readonly to: string },
  context: ActionContext,
): (exchange: PolicyExchange) => Replacement {
  const from = config.from === undefined ? undefined : context.template(['from'], config.from)
  const to = context.template(['to'], config.to)
  if (from?.isLiteral) checkPattern(config.from ?? '', config.to, context)
  if (/^\(?(?:\?[a-z]+\))?\^\//.test(config.from ?? '')) {
    context.warn(
      ['from'],
      'anchored_path',
      'from is matched against the whole address, scheme first, so it never begins with /',
    )
  }
  return ({ request, scope, work }) => {
    const url = request?.url ?? ''
    const replacement = to.render(scope)
    const pattern = from && compilePattern(from.render(scope))
    workFor(work)
    return pattern ? replace(url, pattern, replacement) : { url: replacement, matches: [url] }
  }
}

function replace(url: string, pattern: Pattern, to: string): Replacement {
  const { text, matches } = pattern.replaceAll(url, to)
  return { url: text, matches }
}

function checkPattern(source: string, to: string, context: ActionContext): void {
  try {
    const { groupCount } = new Pattern(source)
    const group = highestGroup(to)
    if (group > groupCount)
      context.refuse(['to'], 'invalid_regex', `$${group} refers to a group that from does not have`)
  } catch (error) {
    context.refuse(['from'], 'invalid_regex', error instanceof Error ? error.message : String(error))
  }
}
