import { describe, expect, it } from 'vitest'
import { compile, oneAction, problemsOf, RecordingHost, runRequest, runResponse, warningsOf } from '../harness.ts'

const config = '$.inbound[0].actions[0].config'

describe('deny', () => {
  it('answers 403 without a body, or with the status it is given', async () => {
    expect((await runRequest(compile(oneAction('deny', undefined)))).outcome).toEqual({
      kind: 'respond',
      status: 403,
      headers: [],
      body: '',
      runsResponsePhase: false,
    })
    expect((await runRequest(compile(oneAction('deny', { status_code: 451 })))).outcome).toMatchObject({ status: 451 })
  })

  it('stops the rules that follow', async () => {
    const host = new RecordingHost()
    await runRequest(
      compile(
        {
          inbound: [
            { name: 'a', actions: [{ type: 'deny' }] },
            { name: 'b', actions: [{ type: 'deny' }] },
          ],
        },
        host,
      ),
    )
    expect(host.matchedRules).toEqual(['a'])
  })

  it.each([200, 399, 600, 403.5, '403'])('refuses the status %j', (status) => {
    expect(problemsOf(oneAction('deny', { status_code: status }))[0]?.path).toBe(`${config}.status_code`)
  })
})

describe('close-connection', () => {
  it('closes', async () => {
    expect((await runRequest(compile(oneAction('close-connection', undefined)))).outcome).toEqual({ kind: 'close' })
  })

  it('takes no configuration', () => {
    expect(problemsOf(oneAction('close-connection', { a: 1 }))).toEqual([
      expect.objectContaining({ path: `${config}.a`, code: 'unknown_field' }),
    ])
  })
})

describe('custom-response', () => {
  const answer = async (fields: unknown, url?: string) =>
    (await runRequest(compile(oneAction('custom-response', fields)), url === undefined ? {} : { url })).outcome

  it('answers with rendered body and headers, and lets response rules run', async () => {
    expect(await answer({ status_code: 404, body: 'no ${req.url.path}', headers: { 'X-A': '${req.method}' } })).toEqual(
      {
        kind: 'respond',
        status: 404,
        headers: [
          ['x-a', 'GET'],
          ['content-type', 'text/plain; charset=utf-8'],
          ['x-content-type-options', 'nosniff'],
        ],
        body: 'no /',
        runsResponsePhase: true,
      },
    )
  })

  it.each([
    ['{"a": 1}', 'application/json; charset=utf-8'],
    ['{not json', 'text/plain; charset=utf-8'],
    [' <p>', 'text/html; charset=utf-8'],
    ['5', 'text/plain; charset=utf-8'],
  ])('finds the type of %j', async (body, type) => {
    expect(await answer({ body })).toMatchObject({ headers: expect.arrayContaining([['content-type', type]]) })
  })

  it('keeps the type that it is given', async () => {
    expect(await answer({ body: '<p>', headers: { 'Content-Type': 'text/plain' } })).toMatchObject({
      headers: expect.arrayContaining([['content-type', 'text/plain']]),
    })
  })

  it('renders a failing expression as nothing', async () => {
    expect(await answer({ body: "a${req.headers['nope'][0]}b" })).toMatchObject({ body: '' })
  })

  it('leaves out a header whose value would split the answer', async () => {
    const outcome = await answer(
      { body: 'x', headers: { 'x-q': "${getQueryParam('q')[0]}" } },
      'https://a.example/?q=a%0d%0ab:c',
    )
    expect(JSON.stringify(outcome)).not.toContain('x-q')
  })

  it('replaces the response of the upstream', async () => {
    const policy = compile(
      oneAction('custom-response', { body: 'was ${res.status_code}' }, 'outbound', ['res.status_code >= 500']),
    )
    expect((await runResponse(policy, { status: 502 })).outcome).toMatchObject({
      status: 200,
      body: 'was 502',
      runsResponsePhase: false,
    })
    expect((await runResponse(policy, { status: 200 })).outcome).toBeUndefined()
  })

  it('takes the older name of body, with a warning', async () => {
    expect(await answer({ content: 'x' })).toMatchObject({ body: 'x' })
    expect(warningsOf(oneAction('custom-response', { content: 'x' }))).toEqual([
      expect.objectContaining({ code: 'legacy_name' }),
    ])
  })

  it.each([
    [{ status_code: 101 }, 'status_code', 'out_of_range'],
    [{ status_code: 600 }, 'status_code', 'out_of_range'],
    [{ status_code: 204, body: 'x' }, 'body', 'conflicting_fields'],
    [{ body: 'x', content: 'y' }, 'content', 'conflicting_fields'],
    [{ body: 'x', headers: { 'content-length': '1' } }, 'headers["content-length"]', 'header_not_allowed'],
    [{ body: '${' }, 'body', 'unterminated_template'],
    [{ headers: { a: 1 } }, 'headers.a', 'wrong_type'],
  ])('refuses %j', (fields, path, code) => {
    expect(problemsOf(oneAction('custom-response', fields))).toContainEqual(
      expect.objectContaining({ path: `${config}.${path}`, code }),
    )
  })
})

describe('templates', () => {
  it.each([
    ["${'}'}", '}'],
    ['${"\\"}"}', '"}'],
    ["${r'\\'}", '\\'],
    ["${'''}'''}", '}'],
    ["${{'a': {'b': 1}}.a.b}", '1'],
    ['$${req.method}', '${req.method}'],
    ['a$b{c}', 'a$b{c}'],
    ['${1 + 1}${true}${null}${duration("1h")}', '2true3600s'],
    ['${[1, "a"]}', '[1,"a"]'],
    ['${timestamp(0)}', '1970-01-01T00:00:00Z'],
  ])('render %j as %j', async (text, expected) => {
    const { outcome } = await runRequest(compile(oneAction('custom-response', { body: text })))
    expect(outcome).toMatchObject({ body: expected })
  })
})
