/** An account holder with an API key, as an operator would make one on a fresh installation. */
export interface Account {
  readonly id: string
  readonly apiKey: string
  /** Calls the management API and returns the decoded body; rejects on any status outside 200 to 299. */
  call(method: string, path: string, body?: unknown): Promise<unknown>
  /** A new credential; without rules it may bind every name. */
  createAuthtoken(acl?: readonly string[]): Promise<{ readonly id: string; readonly token: string }>
}

type ServiceCommand = (args: readonly string[]) => Promise<string>

export class ApiAccount implements Account {
  readonly id: string
  readonly apiKey: string
  readonly #apiUrl: string

  private constructor(id: string, apiKey: string, apiUrl: string) {
    this.id = id
    this.apiKey = apiKey
    this.#apiUrl = apiUrl
  }

  /** Creates account and key with the service's own commands, while it runs. */
  static async create(apiUrl: string, email: string, command: ServiceCommand): Promise<Account> {
    const account = lastJson(await command(['account', 'create', '--email', email, '--json']))
    const key = lastJson(await command(['api-key', 'create', '--account', email, '--json']))
    return new ApiAccount(account['id'] ?? '', key['token'] ?? '', apiUrl)
  }

  async call(method: string, path: string, body?: unknown): Promise<unknown> {
    const response = await fetch(this.#apiUrl + path, {
      method,
      headers: {
        authorization: `Bearer ${this.apiKey}`,
        'service-version': '2',
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(10_000),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`)
    return text === '' ? undefined : JSON.parse(text)
  }

  async createAuthtoken(acl: readonly string[] = []): Promise<{ readonly id: string; readonly token: string }> {
    return (await this.call('POST', '/credentials', { acl })) as { id: string; token: string }
  }
}

/** The JSON line that a command prints last, after whatever it has logged. */
function lastJson(output: string): Record<string, string> {
  const line = output.split('\n').findLast((text) => text.startsWith('{')) ?? '{}'
  return JSON.parse(line) as Record<string, string>
}
