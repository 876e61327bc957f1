import { tempDir } from '@tunnel/testkit'
import { expect, it } from 'vitest'
import { readConfig } from '../src/config.ts'
import { doctor } from '../src/doctor/doctor.ts'
import { FakeService, refuse, welcome } from './fake-service.ts'

async function examine(env: Record<string, string>): Promise<{ isWell: boolean; lines: string[] }> {
  await using state = await tempDir()
  const lines: string[] = []
  const config = readConfig({ SERVICE_AUTHTOKEN: 'cr_x_secret', AGENT_STATE_DIR: state.path, ...env })
  const isWell = await doctor(config, (line) => lines.push(line))
  expect(lines.join('\n')).not.toContain('cr_x_secret')
  return { isWell, lines }
}

it('the doctor goes all the way to a welcome, without taking the place of a running agent', async () => {
  await using service = await FakeService.start()
  const { isWell, lines } = await examine({ SERVICE_CONNECT_URL: service.url })
  expect(isWell).toBe(true)
  expect(lines.map((line) => line.split(':')[0])).toEqual([
    'ok    authtoken',
    'ok    DNS',
    'ok    TCP',
    'ok    TLS and WebSocket',
    'ok    hello',
    'ok    clock',
  ])
  expect(service.latest.hello.resume).toBeNull()
})

it('the doctor stops at what fails, and says what to do', async () => {
  await using service = await FakeService.start()
  const target = { SERVICE_CONNECT_URL: service.url }
  const last = async (env: Record<string, string>) => (await examine(env)).lines.slice(-2).map((line) => line.trim())

  expect(await last({ SERVICE_CONNECT_URL: 'wss://no-such-host.invalid' })).toEqual([
    expect.stringContaining('FAIL  DNS'),
    expect.stringContaining('resolver of this device'),
  ])
  expect((await last({ SERVICE_CONNECT_URL: 'ws://127.0.0.1:1' }))[0]).toBe('FAIL  TCP: ECONNREFUSED')
  service.script.greet = () => refuse('authtoken_revoked')
  expect((await last(target))[0]).toBe('FAIL  hello: refused: authtoken_revoked')
  service.script.greet = (hello, turn) => ({ ...welcome(hello, turn), serverTime: '1970-01-01T00:00:00Z' })
  expect((await last(target))[0]).toContain('FAIL  clock')
})
