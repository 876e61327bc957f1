import { limits } from '../document/limits.ts'
import type { ExpressionScope } from '../expressions/expression-scope.ts'
import type { ActionContext, FieldPath } from './action.ts'

const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
/** No line breaks, no other controls, nothing that has no byte of its own. */
const headerValue = /^[\t\x20-\x7e\x80-\xff]*$/

/** Framing and hop-by-hop fields, which belong to each connection and not to a policy (RFC 9110, section 7.6.1). */
const connectionFields = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-authentication-info',
  'http2-settings',
  'expect',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'content-length',
])

/** Whether a header is about one connection only. */
export function isConnectionField(name: string): boolean {
  return connectionFields.has(name.toLowerCase())
}

/** Checks a header name and gives its lower-case form. */
export function checkHeaderName(
  name: string,
  field: FieldPath,
  context: ActionContext,
  alsoForbidden: readonly string[] = [],
): string {
  const lowerName = name.toLowerCase()
  if (name.length > limits.headerNameMaxChars)
    context.refuse(field, 'too_long', `a header name has at most ${limits.headerNameMaxChars} characters`)
  else if (!token.test(name)) context.refuse(field, 'invalid_header_name', `'${name}' is not a header name`)
  else if (isConnectionField(lowerName) || alsoForbidden.includes(lowerName)) {
    context.refuse(field, 'header_not_allowed', `a policy cannot change the header '${lowerName}'`)
  }
  return lowerName
}

export interface HeaderTemplate {
  readonly name: string
  /** The value, or undefined when it cannot stand in a header. Throws `TemplateError`. */
  readonly render: (scope: ExpressionScope) => string | undefined
}

/** Compiles a map of header names to templates. */
export function compileHeaders(
  headers: Readonly<Record<string, string>>,
  context: ActionContext,
  alsoForbidden?: readonly string[],
): HeaderTemplate[] {
  return Object.entries(headers).map(([sentName, text]) => {
    const field = ['headers', sentName]
    const name = checkHeaderName(sentName, field, context, alsoForbidden)
    if (text.length > limits.headerValueMaxChars)
      context.refuse(field, 'too_long', `a header value has at most ${limits.headerValueMaxChars} characters`)
    const template = context.template(field, text)
    if (template.literals.some((literal) => !isHeaderValue(literal))) {
      context.refuse(
        field,
        'invalid_header_value',
        'a header value has no line breaks and only characters up to U+00FF',
      )
    }
    return { name, render: (scope) => validOrNothing(template.render(scope)) }
  })
}

function isHeaderValue(value: string): boolean {
  return headerValue.test(value)
}

function validOrNothing(value: string): string | undefined {
  return value.length <= limits.headerValueMaxChars && isHeaderValue(value) ? value.trim() : undefined
}
