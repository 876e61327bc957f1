import { describe, expect, it } from 'vitest'
import { ConfigError, readConfig } from './config.ts'

function problemsOf(env: Record<string, string>): readonly string[] {
  try {
    readConfig(env)
  } catch (error) {
    if (error instanceof ConfigError) return error.problems
    throw error
  }
  return []
}

describe('readConfig', () => {
  it('needs nothing: every variable has a default', () => {
    const config = readConfig({})
    expect(config.apiListen).toEqual({ host: '127.0.0.1', port: 4300 })
    expect(config.zone).toBe('tunnel.localhost')
    expect(config.dnsListen).toBeNull()
    expect(config.requestsPerMinute).toBeNull()
    expect(config.masterKeyFile).toBe(`${config.dataDir}/master.key`)
    expect(config.tcpPorts).toEqual({ first: 20_000, last: 20_999 })
  })

  it('names every wrong and every unknown variable at once', () => {
    const problems = problemsOf({
      SERVICE_API_LISTEN: 'localhost',
      SERVICE_ZONE: '-bad-.example',
      SERVICE_PUBLIC_IPS: '192.0.2.1, 300.0.0.1',
      SERVICE_TCP_PORT: '1-2',
    })
    expect(problems.map((line) => line.split(':')[0])).toEqual([
      'SERVICE_API_LISTEN',
      'SERVICE_ZONE',
      'SERVICE_PUBLIC_IPS',
      'SERVICE_TCP_PORT',
    ])
  })

  it.each([
    ['SERVICE_DATABASE_URL', 'mysql://h/db'],
    ['SERVICE_BASE_URL', 'api.example.com'],
    ['SERVICE_EDGE_HTTP_LISTEN', '127.0.0.1:70000'],
    ['SERVICE_TCP_PORTS', '30000-20000'],
    ['SERVICE_REGION', 'EU West'],
    ['SERVICE_ACME_EMAIL', 'nobody'],
    ['SERVICE_ZONE', 'localhost'],
    ['SERVICE_POLICY_PRIVATE_HOSTS', 'https://idp.example'],
    ['SERVICE_POLICY_PRIVATE_HOSTS', '10.0.0.0/33'],
    ['SERVICE_API_REQUESTS_PER_MINUTE', '0'],
  ])('refuses %s=%s', (name, value) => {
    expect(problemsOf({ [name]: value })).toEqual([expect.stringMatching(`^${name}: must `)])
  })

  it('leaves the variables of an agent on the same machine alone', () => {
    expect(problemsOf({ SERVICE_AUTHTOKEN: 'x', SERVICE_CONNECT_URL: 'y' })).toEqual([])
  })

  it('takes IPv6 listen addresses, an empty host and a trailing slash in the base URL', () => {
    const config = readConfig({
      SERVICE_API_LISTEN: '[::1]:0',
      SERVICE_EDGE_HTTP_LISTEN: ':80',
      SERVICE_BASE_URL: 'https://api.example.com/',
    })
    expect(config.apiListen).toEqual({ host: '::1', port: 0 })
    expect(config.edgeHttpListen).toEqual({ host: '0.0.0.0', port: 80 })
    expect(config.baseUrl).toBe('https://api.example.com')
  })

  it('takes hosts that policies may reach', () => {
    const { policyPrivateHosts } = readConfig({
      SERVICE_POLICY_PRIVATE_HOSTS: 'Keycloak, idp.corp.example,10.2.0.0/16,::1',
    })
    expect(policyPrivateHosts).toEqual(['keycloak', 'idp.corp.example', '10.2.0.0/16', '::1'])
  })

  it('takes a limit of API requests', () => {
    expect(readConfig({ SERVICE_API_REQUESTS_PER_MINUTE: '120' }).requestsPerMinute).toBe(120)
  })
})
