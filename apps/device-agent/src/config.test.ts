import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { ConfigError, readConfig } from './config.ts'

const token = { SERVICE_AUTHTOKEN: 'cr_1_secret' }

function problemsOf(env: Record<string, string>): readonly string[] {
  try {
    readConfig(env)
  } catch (error) {
    if (error instanceof ConfigError) return error.problems
  }
  return []
}

describe('the configuration', () => {
  it('needs an authtoken alone', () => {
    const config = readConfig(token)
    expect(config).toMatchObject({
      connectUrl: 'wss://connect.tunnel.localhost:8443/',
      apiListen: { host: '127.0.0.1', port: 4301 },
      agentDomain: null,
      isRemoteManagementOn: true,
      isUpdateCheckOn: true,
      proxy: null,
    })
    expect(config.defaultPolicyFile).toBe(`${config.stateDir}/default-policy.json`)
  })

  it('names every offending variable at once', () => {
    const problems = problemsOf({
      SERVICE_CONNECT_URL: 'http://example.com',
      AGENT_API_LISTEN: 'example.com:4301',
      AGENT_DOMAIN: 'no_domain',
      AGENT_METADATA: 'ä'.repeat(2049),
      AGENT_REMOTE_MANAGEMENT: 'maybe',
      HTTPS_PROXY: 'socks5://proxy',
      AGENT_DOMAINE: 'a.example.com',
    })
    expect(problems.map((problem) => problem.split(' ')[0])).toEqual([
      'AGENT_DOMAINE',
      'SERVICE_AUTHTOKEN',
      'SERVICE_CONNECT_URL',
      'AGENT_DOMAIN',
      'AGENT_API_LISTEN',
      'AGENT_METADATA',
      'AGENT_REMOTE_MANAGEMENT',
      'HTTPS_PROXY',
    ])
  })

  it.each(['ws://connect.example.com', 'wss://user:pw@connect.example.com', 'connect.example.com'])(
    'refuses the session address %s',
    (url) => {
      expect(problemsOf({ ...token, SERVICE_CONNECT_URL: url })).toHaveLength(1)
    },
  )

  it.each(['ws://127.0.0.1:1', 'ws://[::1]:1', 'ws://connect.tunnel.localhost:1', 'wss://connect.example.com'])(
    'takes the session address %s',
    (url) => {
      expect(problemsOf({ ...token, SERVICE_CONNECT_URL: url })).toEqual([])
    },
  )

  it('takes the authtoken from a variable or a file, not from both', () => {
    expect(readConfig({ SERVICE_AUTHTOKEN_FILE: '/x' }).authtoken).toEqual({ kind: 'file', path: '/x' })
    expect(problemsOf({ ...token, SERVICE_AUTHTOKEN_FILE: '/x' })).toHaveLength(1)
  })

  it('never prints its secrets', () => {
    const config = readConfig({ ...token, HTTPS_PROXY: 'http://user:pw@proxy:1' })
    expect(inspect(config, { depth: 9 }) + JSON.stringify(config)).not.toMatch(/cr_1_secret|pw@proxy/)
  })
})
