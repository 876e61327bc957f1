/** Parts of an absolute http(s) address, cut from the text as it is: nothing is decoded or normalised. */
export interface UrlParts {
  readonly scheme: string
  readonly userPassword: string
  readonly authority: string
  readonly host: string
  readonly port: number | undefined
  readonly path: string
  readonly query: string
}

const absoluteUrl =
  /^(https?):\/\/(?:([^/?#@]*)@)?((\[[^\]/?#]*\]|[^:/?#@]*)(?::(\d{1,5}))?)([^?#]*)(?:\?([^#]*))?(?:#.*)?$/i

/** Cuts an address into its parts; undefined when it is not an absolute http(s) address that can be requested. */
export function splitUrl(url: string): UrlParts | undefined {
  const match = absoluteUrl.exec(url)
  if (!match || !isRequestable(url)) return undefined
  const [, scheme = '', userPassword = '', authority = '', host = '', port, path = '', query = ''] = match
  return {
    scheme: scheme.toLowerCase(),
    userPassword,
    authority,
    host,
    port: port === undefined ? undefined : Number(port),
    path: path === '' ? '/' : path,
    query,
  }
}

/** Only characters that may stand in a request line or a Location header, and a form that URL parsers accept. */
export function isRequestable(url: string): boolean {
  return /^[\x21-\x7e]+$/.test(url) && URL.canParse(url)
}

/** Query parameters by name, percent-decoding leniently; what cannot be decoded stays as it was sent. */
export function parseQuery(query: string): Map<string, string[]> {
  const parameters = new Map<string, string[]>()
  for (const pair of query === '' ? [] : query.split('&')) {
    const equals = pair.indexOf('=')
    const name = decode(equals < 0 ? pair : pair.slice(0, equals))
    const value = equals < 0 ? '' : decode(pair.slice(equals + 1))
    const values = parameters.get(name)
    if (values) values.push(value)
    else parameters.set(name, [value])
  }
  return parameters
}

function decode(text: string): string {
  const spaced = text.replaceAll('+', ' ')
  try {
    return decodeURIComponent(spaced)
  } catch {
    return spaced
  }
}
