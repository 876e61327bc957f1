interface Place {
  readonly zone: string
  /** Where the API is reached, as the operator told; null by default. */
  readonly baseUrl: string | null
  readonly httpsPort: number
}

/** Where agents connect to, for commands to paste. A port that is mapped in front of this process shows in the base URL. */
export function connectUrl({ zone, baseUrl, httpsPort }: Place): string {
  const base = baseUrl === null ? null : new URL(baseUrl)
  const isOwnName = base?.protocol === 'https:' && base.hostname === `api.${zone}`
  const port = isOwnName ? base.port : String(httpsPort)
  return `wss://connect.${zone}${port === '' || port === '443' ? '' : `:${port}`}`
}
