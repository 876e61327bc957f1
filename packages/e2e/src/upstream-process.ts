import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A program behind an agent that can be killed: `node upstream-process.ts PORT`. `/never` does not answer. */
const server = createServer((request, response) => {
  process.stdout.write(`request ${request.url}\n`)
  if (request.url !== '/never') response.end('Hello, World!')
})
server.listen(Number(process.argv[2]), '127.0.0.1', () =>
  process.stdout.write(`port ${(server.address() as AddressInfo).port}\n`),
)
process.on('SIGTERM', () => process.exit(0))
