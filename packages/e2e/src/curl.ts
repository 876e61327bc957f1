import { runProcess } from '@tunnel/testkit'

/** What curl printed of the last answer. */
export interface CurlAnswer {
  readonly status: number
  /** `HTTP/1.1` or `HTTP/2`. */
  readonly version: string
  readonly headers: Headers
  readonly body: string
  /** Heads of interim answers such as `100 Continue`. */
  readonly interim: readonly string[]
}

/** Runs curl and returns the answer, whatever its status; rejects when the transfer fails. */
export async function curl(url: string, ...args: readonly string[]): Promise<CurlAnswer> {
  const output = await runProcess('curl', ['--silent', '--show-error', '--max-time', '60', '--include', ...args, url])
  const heads: string[] = []
  let rest = output
  while (/^HTTP\/[\d.]+ (1\d\d)/.test(rest)) rest = takeHead(rest, heads)
  const body = takeHead(rest, heads)
  const [first = '', ...lines] = heads.pop()?.split('\r\n') ?? []
  const [version = '', status = ''] = first.split(' ')
  const fields = lines.map((line): [string, string] => [
    line.slice(0, line.indexOf(':')),
    line.slice(line.indexOf(':') + 1).trim(),
  ])
  return { status: Number(status), version, headers: new Headers(fields), body, interim: heads }
}

/** Like `curl`, and decodes the body as JSON. */
export async function curlJson(url: string, ...args: readonly string[]): Promise<unknown> {
  const { body } = await curl(url, ...args)
  return JSON.parse(body)
}

function takeHead(text: string, heads: string[]): string {
  const end = text.indexOf('\r\n\r\n')
  if (end < 0) throw new Error(`curl printed no answer:\n${text}`)
  heads.push(text.slice(0, end))
  return text.slice(end + 4)
}
