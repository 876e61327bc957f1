import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { freePort, startProcess, tempDir, untilListening } from '@tunnel/testkit'
import { expect, it } from 'vitest'
import { curl, curlJson } from '../../src/curl.ts'
import { Stack } from '../../src/stack.ts'

/** The address that HAProxy connects from; agent and visitors have others. */
const proxy = '127.0.0.9'

it('takes the addresses of visitors from a real HAProxy, and from nobody else', async () => {
  await using dir = await tempDir()
  await using stack = await Stack.start({ serviceEnv: { SERVICE_TRUSTED_PROXIES: `10.0.0.0/8, ${proxy}` } })
  const host = await stack.publish('app')
  const { url } = await stack.agent.createTunnel({
    protocol: 'tcp',
    forwards_to: `127.0.0.1:${stack.upstream.port}`,
  })
  const { edgeHttp, edgeHttps } = stack.service.ports
  const ports = { http: await freePort(), https: await freePort(), tcp: await freePort() }
  await writeFile(
    join(dir.path, 'haproxy.cfg'),
    haproxyConfig([
      [ports.http, `127.0.0.1:${edgeHttp} send-proxy`],
      [ports.https, `127.0.0.1:${edgeHttps} send-proxy-v2`],
      [ports.tcp, `127.0.0.1:${new URL(url).port} send-proxy-v2`],
    ]),
  )
  await using _haproxy = await startProcess('haproxy', ['-db', '-f', join(dir.path, 'haproxy.cfg')])
  for (const port of Object.values(ports)) await untilListening(port)

  const visitor = ['--interface', '127.0.0.77', '-H', 'X-Forwarded-For: 9.9.9.9']
  const seen = async (address: string, ...args: string[]) => {
    const { headers } = (await curlJson(`${address}/request`, ...args)) as { headers: Record<string, string> }
    return headers['x-forwarded-for']
  }
  const trust = ['--cacert', stack.service.caFile]
  expect(await seen(`http://${host}:${ports.http}`, ...visitor)).toBe('9.9.9.9, 127.0.0.77')
  expect(await seen(`https://${host}:${ports.https}`, ...visitor, ...trust)).toBe('9.9.9.9, 127.0.0.77')
  const ipv6 = ['--connect-to', `::[::1]:${ports.https}`, ...trust]
  expect(await seen(`https://${host}:${ports.https}`, ...ipv6)).toBe('::1')
  expect(await seen(stack.httpUrl(host, ''), ...visitor)).toBe('9.9.9.9, 127.0.0.77')
  expect(await tcpRequest(ports.tcp)).toContain('Hello, World!')
  // The proxy itself without its header: nothing would tell its visitors apart from it.
  await expect(curl(stack.httpUrl(host), '--interface', proxy)).rejects.toThrow('Empty reply')
})

async function tcpRequest(port: number): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  socket.write('GET / HTTP/1.1\r\nHost: any\r\nConnection: close\r\n\r\n')
  return text(socket)
}

/** Pairs of a port to listen on and where that leads. */
function haproxyConfig(ways: readonly (readonly [number, string])[]): string {
  const listeners = ways.map(
    ([port, server]) => `
listen port${port}
  bind 127.0.0.1:${port}
  bind [::1]:${port}
  source ${proxy}
  server edge ${server}`,
  )
  return `
defaults
  mode tcp
  timeout connect 5s
  timeout client 20s
  timeout server 20s
${listeners.join('\n')}
`
}
