import { expect, it } from 'vitest'
import { agentCommand } from './agent-command.tsx'

it('fetches the local root first where the pages come in clear', () => {
  expect(agentCommand('http://127.0.0.1:4300', 'wss://connect.tunnel.localhost:8443', 't')).toBe(
    [
      'curl -fsSO http://127.0.0.1:4300/local-ca.pem',
      'SERVICE_AUTHTOKEN=t SERVICE_CONNECT_URL=wss://connect.tunnel.localhost:8443 SERVICE_CONNECT_CA_FILE=local-ca.pem npm run --silent agent -- run',
    ].join('\n'),
  )
})

it('needs no root where the pages have a public certificate', () => {
  expect(agentCommand('https://api.example.com', 'wss://connect.example.com', 't')).toBe(
    'SERVICE_AUTHTOKEN=t SERVICE_CONNECT_URL=wss://connect.example.com npm run --silent agent -- run',
  )
})
