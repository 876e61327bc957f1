import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** The program "on the device": it greets, shows what reached it, and streams a clock as server-sent events. */
const server = createServer((req, res) => {
  if (req.url === '/clock') {
    res.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' })
    const tick = () => res.write(`data: ${new Date().toISOString()}\n\n`)
    tick()
    const timer = setInterval(tick, 1000)
    res.once('close', () => clearInterval(timer))
    return
  }
  res.writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
  res.end(greeting(req.headers))
})

server.listen(0, '127.0.0.1', () => {
  console.log(`listening http http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  console.log('ready')
})

process.on('SIGINT', () => undefined)
process.on('SIGTERM', () => process.exit(0))

function greeting(headers: NodeJS.Dict<string | string[]>): string {
  const rows = Object.entries(headers).map(([name, value]) => `<tr><th>${escape(name)}<td>${escape(String(value))}`)
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>It works</title>
<style>body{font:1.1rem/1.5 system-ui;max-width:44rem;margin:4rem auto;padding:0 1rem}th{text-align:left;padding-right:1rem;vertical-align:top}td{word-break:break-all}</style>
<h1>It works</h1><p>You reached a program that listens only on this machine's loopback address, through the tunnel.
<a href="/clock">/clock</a> streams. These headers arrived:</p><table>${rows.join('')}</table></html>`
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
}
