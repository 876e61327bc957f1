import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import Fastify from 'fastify'
import { describe, expect, it } from 'vitest'
import { runCli } from '../../src/cli/run-cli.ts'
import { policyRoutes } from '../../src/policies/policy-routes.ts'
import { PrivateHosts } from '../../src/policies/private-hosts.ts'

const policy = {
  inbound: [{ name: 'no deletes', expressions: ["req.method == 'DELETE'"], actions: [{ type: 'deny' }] }],
}
const broken = { inbound: [{ expressions: ['req.metod == 1'], actions: [] }] }

describe('POST /policies/check', () => {
  const check = async (body: object) => {
    const app = Fastify({ ajv: { customOptions: { coerceTypes: false, removeAdditional: false } } })
    policyRoutes(app, new PrivateHosts([]))
    const reply = await app.inject({ method: 'POST', url: '/policies/check', payload: body })
    return { status: reply.statusCode, body: reply.json<Record<string, unknown>>() }
  }

  it('tells what each rule would do', async () => {
    const { status, body } = await check({ policy, requests: [{ method: 'DELETE' }, {}] })
    expect(status).toBe(200)
    expect(body).toMatchObject({
      valid: true,
      problems: [],
      results: [
        { answered_by: 'policy', response: { status_code: 403 }, rules: [{ name: 'no deletes', is_matched: true }] },
        { answered_by: 'upstream', rules: [{ is_matched: false, expressions: [{ value: false }] }] },
      ],
    })
  })

  it('answers all problems, with their places in an expression or in the text that was sent', async () => {
    const problem = { path: '$.inbound[0].expressions[0]', code: 'unknown_variable' }
    const { body: ofObject } = await check({ policy: broken })
    const inExpression = { ...problem, line: 1, column: 4, offset: 3 }
    expect(ofObject).toMatchObject({ valid: false, problems: [{ code: 'missing_field' }, inExpression], results: [] })
    const document = JSON.stringify(broken, null, 2)
    const { body: ofText } = await check({ policy: document })
    const inText = { ...problem, line: 5, offset: document.indexOf('.metod') }
    expect(ofText).toMatchObject({ problems: [{ code: 'missing_field', line: 7 }, inText] })
  })

  it('takes YAML too', async () => {
    const yaml = 'inbound:\n  - actions: [{type: deny}]\n'
    expect((await check({ policy: yaml, requests: [{}] })).body).toMatchObject({ valid: true, results: [{}] })
    const { body } = await check({ policy: 'a: b: c' })
    expect(body).toMatchObject({
      problems: [{ path: '$', code: 'bad_document', message: expect.stringContaining('neither JSON nor YAML') }],
    })
  })

  it.each([
    {},
    { policy: 5 },
    { policy, protocol: 'udp' },
    { policy, requests: [{ url: 'ftp://x' }] },
    { policy, extra: 1 },
  ])('refuses %j', async (body) => {
    expect((await check(body)).status).toBe(400)
  })
})

describe('policy check', () => {
  it('prints what rules do, and fails on problems', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'policy-'))
    const write = (name: string, value: unknown) => writeFile(join(dir, name), JSON.stringify(value))
    await Promise.all([
      write('good.json', policy),
      write('bad.json', broken),
      write('request.json', { method: 'DELETE' }),
    ])
    const run = async (...args: string[]) => {
      const [stdout, stderr] = [new PassThrough(), new PassThrough()]
      const env = { SERVICE_DATA_DIR: join(dir, 'data') }
      const code = await runCli(['policy', 'check', ...args], env, { stdin: Readable.from(['']), stdout, stderr })
      stdout.end()
      return { code, out: await text(stdout) }
    }
    const good = await run(join(dir, 'good.json'), '--request', join(dir, 'request.json'))
    expect(good).toMatchObject({
      code: 0,
      out: expect.stringMatching(/matches: no deletes[^]*visitor gets: 403[^]*the policy is valid/),
    })
    const bad = await run(join(dir, 'bad.json'))
    expect(bad).toMatchObject({ code: 1, out: expect.stringContaining("did you mean 'req.method'?") })
    expect((await run(join(dir, 'nothing.json'))).code).toBe(64)
    await rm(dir, { recursive: true })
  })
})
