import { describe, expect, it } from 'vitest'
import { type PolicySample, tryPolicy } from '../src/index.ts'
import { compile, oneAction } from './harness.ts'

const trial = (document: unknown, sample: PolicySample = {}) => tryPolicy(compile(document), sample, 0)

describe('a trial of a policy', () => {
  it('tells which rules matched and why, and what leaves on both sides', async () => {
    const document = {
      inbound: [
        { name: 'no', expressions: ["req.method == 'PUT'"], actions: [{ type: 'deny' }] },
        { name: 'broken', expressions: ["req.headers['x'][0] == 'y'"], actions: [{ type: 'deny' }] },
        {
          name: 'yes',
          expressions: ["req.url.path.startsWith('/a')"],
          actions: [{ type: 'add-headers', config: { headers: { a: '${req.method}' } } }],
        },
      ],
      outbound: [{ actions: [{ type: 'remove-headers', config: { headers: ['server'] } }] }],
    }
    const sample = {
      url: 'https://app.example.com/a?b',
      response: { headers: { server: 'x', 'content-type': 'text/plain' } },
    }
    const { rules, ...rest } = await trial(document, sample)
    expect(
      rules.map(({ name, is_matched: isMatched, expressions }) => [
        name,
        isMatched,
        expressions[0]?.value ?? expressions[0]?.error,
      ]),
    ).toEqual([
      ['no', false, false],
      ['broken', false, 'field not found: x'],
      ['yes', true, true],
      ['outbound[0]', true, undefined],
    ])
    expect(rest).toMatchObject({
      answered_by: 'upstream',
      request: {
        method: 'GET',
        url: 'https://app.example.com/a?b',
        headers: [
          ['host', 'app.example.com'],
          ['a', 'GET'],
        ],
      },
      response: { status_code: 200, headers: [['content-type', 'text/plain']] },
      results: { add_headers: { headers_added: { a: 'GET' } }, remove_headers: { headers_removed: ['server'] } },
    })
  })

  it('shows the answer of a policy with what its response rules added', async () => {
    const document = {
      inbound: [{ actions: [{ type: 'custom-response', config: { body: 'hi' } }] }],
      outbound: [{ actions: [{ type: 'add-headers', config: { headers: { b: '1' } } }] }],
    }
    const { answered_by: answeredBy, request, response } = await trial(document)
    expect([answeredBy, request, response?.body]).toEqual(['policy', null, 'hi'])
    expect(response?.headers).toContainEqual(['b', '1'])
  })

  it('shows closed and handed-over requests', async () => {
    expect(await trial(oneAction('close-connection', undefined))).toMatchObject({
      answered_by: 'policy',
      response: null,
      rules: [{ actions: [{ outcome: 'closes the connection' }] }],
    })
    expect(await trial(oneAction('forward-internal', { url: 'https://b.example.com' }))).toMatchObject({
      rules: [{ actions: [{ outcome: { hands_over_to: 'https://b.example.com' } }] }],
    })
  })
})
