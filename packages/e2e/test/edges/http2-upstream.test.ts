import { once } from 'node:events'
import { createSecureServer } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import { Stack } from '../../src/stack.ts'
import { curl } from '../../src/curl.ts'
import { throwAwayCertificate } from '../../src/throw-away-certificate.ts'

it('h2:// leads to a program with HTTP/2 over TLS; near the device, with any certificate', async () => {
  await using stack = await Stack.start()
  const { certificate, key } = await throwAwayCertificate('printer.example', true)
  const server = createSecureServer({ key, cert: certificate })
  server.on('stream', (stream, headers) => {
    const { alpnProtocol } = stream.session ?? {}
    const answer = (body: string): void => {
      stream.respond({ ':status': 200 })
      stream.end(`${alpnProtocol} ${headers[':scheme']} ${headers[':authority']} ${body}`)
    }
    void text(stream).then(answer)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const domain = `h2.${stack.service.zone}`
  await stack.agent.createTunnel({ forwards_to: `h2://127.0.0.1:${port}`, domain })
  const place = ['--connect-to', `${domain}:443:127.0.0.1:${stack.service.ports.edgeHttps}`]
  const visit = (...args: string[]) =>
    curl(`https://${domain}/`, ...place, '--cacert', stack.service.caFile, '--data', 'body', ...args)
  for (const version of ['--http1.1', '--http2'])
    expect(await visit(version)).toMatchObject({ status: 200, body: `h2 https ${domain} body` })

  // What speaks no TLS is named as what it is.
  const plain = `plain.${stack.service.zone}`
  await stack.agent.createTunnel({ forwards_to: `h2://127.0.0.1:${stack.upstream.port}`, domain: plain })
  const at = ['--connect-to', `${plain}:443:127.0.0.1:${stack.service.ports.edgeHttps}`]
  const refused = await curl(`https://${plain}/`, ...at, '--cacert', stack.service.caFile)
  expect(refused).toMatchObject({ status: 502 })
  expect(refused.body).toContain('the TLS handshake failed')
  server.close()
})
