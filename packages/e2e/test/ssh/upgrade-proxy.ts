// ProxyCommand of ssh: `node upgrade-proxy.ts PORT HOST` speaks to the edge until it has switched to bytes.
import { request } from 'node:http'

const [port, host] = process.argv.slice(2)
request({ port, host: '127.0.0.1', headers: { Host: host, Connection: 'Upgrade', Upgrade: 'tcp' } })
  .on('upgrade', (_, socket, head) => {
    process.stdout.write(head)
    socket.pipe(process.stdout)
    process.stdin.pipe(socket)
  })
  .on('response', ({ statusCode }) => {
    process.stderr.write(`the edge answered ${statusCode}\n`)
    process.exit(1)
  })
  .end()
