import type { ProblemCode } from '../src/index.ts'

/** What is refused: the configuration, where, why, and the text at which the reported place is. */
export type Refusal = readonly [config: unknown, path: string, code: ProblemCode, at: string]

export interface ActionRow {
  readonly phase?: 'inbound' | 'outbound'
  /** At their bounds where there are some. */
  readonly accepts: readonly unknown[]
  readonly refuses: readonly Refusal[]
}

export const many = <T>(count: number, item: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => item(i))
const headers = (count: number) => Object.fromEntries(many(count, (i) => [`h${i}`, 'x']))
const nested = (depth: number): unknown => (depth === 0 ? 1 : [nested(depth - 1)])

const limit = { name: 'n', algorithm: 'sliding_window', capacity: 1, rate: '60s', bucket_key: ['conn.client_ip'] }
const token = { type: 'jwt', method: 'header', name: 'Authorization', prefix: 'Bearer ' }
const value = (text: string) => ({ value: text })
const keySet = (...urls: string[]) => ({ keys: { sources: { additional_jkus: urls } } })
const jws = { allowed_algorithms: ['RS256'], ...keySet('https://keys.example.com/jwks') }
const jwt = { issuer: { allow_list: [value('https://i.example/')] }, http: { tokens: [token] }, jws }
const jkus = 'jws.keys.sources.additional_jkus'

/** One row for each action: what it takes, and one refusal for each of its rules and bounds. Of IP policies there is `ipp_1`. */
export const actionRows: Readonly<Record<string, ActionRow>> = {
  'add-headers': {
    accepts: [
      { headers: headers(10) },
      { headers: { host: 'x', 'X-A': '${req.method}', b: 'ÿ', ['n'.repeat(256)]: 'v'.repeat(8192) } },
    ],
    refuses: [
      [{}, 'headers', 'missing_field', '"config"'],
      [{ headers: {} }, 'headers', 'missing_field', '"headers"'],
      [{ headers: headers(11) }, 'headers', 'too_many', '"headers"'],
      [{ headers: { a: 1 } }, 'headers.a', 'wrong_type', '"a"'],
      [{ headers: { 'user-agent': 'x' } }, 'headers["user-agent"]', 'header_not_allowed', '"user-agent"'],
      ...['Connection', 'keep-alive', 'proxy-connection', 'proxy-authenticate', 'proxy-authorization', 'te'].map(
        (name): Refusal => [
          { headers: { [name]: 'x' } },
          `headers${name.includes('-') ? `["${name}"]` : `.${name}`}`,
          'header_not_allowed',
          `"${name}"`,
        ],
      ),
      [{ headers: { trailer: 'x' } }, 'headers.trailer', 'header_not_allowed', '"trailer"'],
      [
        { headers: { 'transfer-encoding': 'x' } },
        'headers["transfer-encoding"]',
        'header_not_allowed',
        '"transfer-encoding"',
      ],
      [{ headers: { upgrade: 'x' } }, 'headers.upgrade', 'header_not_allowed', '"upgrade"'],
      [{ headers: { 'content-length': '1' } }, 'headers["content-length"]', 'header_not_allowed', '"content-length"'],
      [{ headers: { ':path': 'x' } }, 'headers[":path"]', 'invalid_header_name', '":path"'],
      [{ headers: { 'a b': 'x' } }, 'headers["a b"]', 'invalid_header_name', '"a b"'],
      [{ headers: { ['n'.repeat(257)]: 'x' } }, `headers.${'n'.repeat(257)}`, 'too_long', '"nnn'],
      [{ headers: { a: 'v'.repeat(8193) } }, 'headers.a', 'too_long', '"a"'],
      [{ headers: { a: 'x\r\ny: z' } }, 'headers.a', 'invalid_header_value', '"a"'],
      [{ headers: { a: 'x\0' } }, 'headers.a', 'invalid_header_value', '"a"'],
      [{ headers: { a: 'Ā' } }, 'headers.a', 'invalid_header_value', '"a"'],
      [{ headers: { a: 'v-${req.nope}' } }, 'headers.a', 'unknown_variable', '.nope}'],
      [{ headers: { a: 'v-${req.method' } }, 'headers.a', 'unterminated_template', '${req.method'],
      [{ headers: { a: 'x' }, when: 1 }, 'when', 'unknown_field', '"when"'],
    ],
  },
  'remove-headers': {
    accepts: [{ headers: many(10, (i) => `h${i}`) }, { headers: ['A', 'a'] }],
    refuses: [
      [{ headers: [] }, 'headers', 'missing_field', '"headers"'],
      [{ headers: many(11, (i) => `h${i}`) }, 'headers', 'too_many', '"headers"'],
      [{ headers: ['a', 'user-agent'] }, 'headers[1]', 'header_not_allowed', '"user-agent"'],
      [{ headers: ['Host'] }, 'headers[0]', 'header_not_allowed', '"Host"'],
      [{ headers: ['te'] }, 'headers[0]', 'header_not_allowed', '"te"'],
      [{ headers: ['a:'] }, 'headers[0]', 'invalid_header_name', '"a:"'],
      [{ headers: [1] }, 'headers[0]', 'wrong_type', '1'],
    ],
  },
  deny: {
    accepts: [undefined, null, {}, { status_code: 400 }, { status_code: 599 }],
    refuses: [
      [{ status_code: 399 }, 'status_code', 'out_of_range', '"status_code"'],
      [{ status_code: 600 }, 'status_code', 'out_of_range', '"status_code"'],
      [{ status_code: '403' }, 'status_code', 'wrong_type', '"status_code"'],
      [[], '', 'wrong_type', '"config"'],
    ],
  },
  'custom-response': {
    accepts: [undefined, { status_code: 200 }, { status_code: 599, body: 'x', headers: headers(10) }, { content: 'x' }],
    refuses: [
      [{ status_code: 101 }, 'status_code', 'out_of_range', '"status_code"'],
      [{ status_code: 199 }, 'status_code', 'out_of_range', '"status_code"'],
      [{ status_code: 600 }, 'status_code', 'out_of_range', '"status_code"'],
      ...[204, 205, 304].map((status): Refusal => [
        { status_code: status, body: 'x' },
        'body',
        'conflicting_fields',
        '"body"',
      ]),
      [{ body: 'x', content: 'y' }, 'content', 'conflicting_fields', '"content"'],
      [{ headers: headers(11) }, 'headers', 'too_many', '"headers"'],
      [{ headers: { 'content-length': '1' } }, 'headers["content-length"]', 'header_not_allowed', '"content-length"'],
      [{ body: '${req.nope}' }, 'body', 'unknown_variable', '.nope}'],
    ],
  },
  redirect: {
    accepts: [
      { to: 'https://b.example/' },
      { from: '/a/(.*)', to: '/b/$1', status_code: 308, headers: headers(10) },
      { from: 'x'.repeat(1024), to: 'y' },
      ...[301, 302, 303, 307].map((status) => ({ to: 'http://b.example', status_code: status })),
    ],
    refuses: [
      [{ from: 'x' }, 'to', 'missing_field', '"config"'],
      ...[300, 304, 305, 309, 200].map((status): Refusal => [
        { to: 'https://b.example', status_code: status },
        'status_code',
        'out_of_range',
        '"status_code"',
      ]),
      [{ to: '/path' }, 'to', 'invalid_url', '"to"'],
      [{ to: 'javascript:alert(1)' }, 'to', 'invalid_url', '"to"'],
      [{ from: '(', to: 'x' }, 'from', 'invalid_regex', '"from"'],
      [{ from: '(?=x)', to: 'x' }, 'from', 'invalid_regex', '"from"'],
      [{ from: 'x'.repeat(1025), to: 'x' }, 'from', 'invalid_regex', '"from"'],
      [{ from: '(a)', to: '$2' }, 'to', 'invalid_regex', '"to"'],
      [{ to: 'https://b.example', headers: headers(11) }, 'headers', 'too_many', '"headers"'],
      [{ to: 'https://b.example', headers: { location: 'x' } }, 'headers.location', 'header_not_allowed', '"location"'],
    ],
  },
  'url-rewrite': {
    accepts: [{ to: 'https://b.example/' }, { from: '/v1/', to: '/' }],
    refuses: [
      [{ from: 'x' }, 'to', 'missing_field', '"config"'],
      [{ from: '(', to: 'x' }, 'from', 'invalid_regex', '"from"'],
      [{ from: '(a)', to: '$9' }, 'to', 'invalid_regex', '"to"'],
      [{ from: 'a', to: '${' }, 'to', 'unterminated_template', '${'],
    ],
  },
  'basic-auth': {
    accepts: [
      { credentials: many(10, (i) => `u${i}:12345678`), realm: 'r'.repeat(128), enforce: false },
      { credentials: [`a:${'p'.repeat(128)}`, ':12345678', 'a:with:colons'] },
    ],
    refuses: [
      [{}, 'credentials', 'missing_field', '"config"'],
      [{ credentials: [] }, 'credentials', 'missing_field', '"credentials"'],
      [{ credentials: many(11, (i) => `u${i}:12345678`) }, 'credentials', 'too_many', '"credentials"'],
      [{ credentials: ['a:12345678', 'no colon'] }, 'credentials[1]', 'invalid_header_value', '"no colon"'],
      [{ credentials: ["${'a:b'}12345678"] }, 'credentials[0]', 'invalid_header_value', '"${'],
      [{ credentials: ['a:1234567'] }, 'credentials[0]', 'out_of_range', '"a:1234567"'],
      [{ credentials: [`a:${'p'.repeat(129)}`] }, 'credentials[0]', 'too_long', '"a:ppp'],
      [{ credentials: ['a:1234\u00075678'] }, 'credentials[0]', 'invalid_header_value', '"a:1234'],
      [{ credentials: ['a:12345678'], realm: 'ü' }, 'realm', 'invalid_header_value', '"realm"'],
      [{ credentials: ['a:12345678'], realm: 'r'.repeat(129) }, 'realm', 'too_long', '"realm"'],
      [{ credentials: ['a:12345678'], enforce: 1 }, 'enforce', 'wrong_type', '"enforce"'],
    ],
  },
  'restrict-ips': {
    accepts: [
      { allow: ['10.0.0.0/8', '192.0.2.1', '2001:db8::/32', '::1', '10.1.2.3/8'], deny: ['10.1.0.0/16'] },
      { ip_policies: ['ipp_1'], enforce: false },
      { allow: many(10_000, (i) => `10.${i >> 8}.${i & 255}.1`) },
    ],
    refuses: [
      [{}, '', 'missing_field', '"config"'],
      [{ allow: ['10.0.0.0/33'] }, 'allow[0]', 'invalid_cidr', '"10.0.0.0/33"'],
      [{ allow: ['010.0.0.1'] }, 'allow[0]', 'invalid_cidr', '"010.0.0.1"'],
      [{ allow: ['10.1'] }, 'allow[0]', 'invalid_cidr', '"10.1"'],
      [{ deny: ['::1', '::/129'] }, 'deny[1]', 'invalid_cidr', '"::/129"'],
      [{ allow: many(10_001, () => '::1') }, 'allow', 'too_many', '"allow"'],
      [{ deny: many(10_001, () => '::1') }, 'deny', 'too_many', '"deny"'],
      [{ ip_policies: many(101, () => 'ipp_1') }, 'ip_policies', 'too_many', '"ip_policies"'],
      [{ ip_policies: ['ipp_1', 'ipp_2'] }, 'ip_policies[1]', 'unknown_ip_policy', '"ipp_2"'],
    ],
  },
  'rate-limit': {
    accepts: [
      limit,
      { ...limit, name: 'n'.repeat(1023), capacity: 2_000_000_000, rate: '24h', enforce: false },
      { ...limit, rate: '1m10s', bucket_key: many(10, () => "getReqHeader('a')") },
    ],
    refuses: [
      ...Object.keys(limit).map((name): Refusal => [
        { ...limit, [name]: undefined },
        name,
        'missing_field',
        '"config"',
      ]),
      [{ ...limit, name: 'n'.repeat(1024) }, 'name', 'too_long', '"name"'],
      [{ ...limit, algorithm: 'token_bucket' }, 'algorithm', 'out_of_range', '"algorithm"'],
      [{ ...limit, capacity: 0 }, 'capacity', 'out_of_range', '"capacity"'],
      [{ ...limit, capacity: 2_000_000_001 }, 'capacity', 'out_of_range', '"capacity"'],
      [{ ...limit, rate: '50s' }, 'rate', 'out_of_range', '"rate"'],
      [{ ...limit, rate: '65s' }, 'rate', 'out_of_range', '"rate"'],
      [{ ...limit, rate: '24h10s' }, 'rate', 'out_of_range', '"rate"'],
      [{ ...limit, rate: 'a while' }, 'rate', 'invalid_duration', '"rate"'],
      [{ ...limit, bucket_key: [] }, 'bucket_key', 'missing_field', '"bucket_key"'],
      [{ ...limit, bucket_key: many(11, () => 'req.host') }, 'bucket_key', 'too_many', '"bucket_key"'],
      [{ ...limit, bucket_key: ['req.host', 'req.nope'] }, 'bucket_key[1]', 'unknown_variable', '.nope'],
    ],
  },
  'set-vars': {
    accepts: [{ vars: many(64, (i) => ({ [`v${i}`]: '${req.method}' })) }, { vars: [{ a: nested(8) }] }],
    refuses: [
      [{ vars: [] }, 'vars', 'missing_field', '"vars"'],
      [{ vars: many(65, () => ({ a: 1 })) }, 'vars', 'too_many', '"vars"'],
      [{ vars: [{ a: 1 }, {}] }, 'vars[1]', 'missing_field', '{}'],
      [{ vars: [{ a: 1, b: 2 }] }, 'vars[0]', 'too_many', '{'],
      [{ vars: [{ 'a-b': 1 }] }, 'vars[0]["a-b"]', 'out_of_range', '"a-b"'],
      [{ vars: [{ a: nested(9) }] }, `vars[0].a${'[0]'.repeat(9)}`, 'too_complex', '1'],
      [{ vars: [{ a: { b: ['${req.nope}'] } }] }, 'vars[0].a.b[0]', 'unknown_variable', '.nope}'],
    ],
  },
  log: {
    accepts: [{ metadata: headers(32) }, { metadata: { a: [1, { b: null }] } }],
    refuses: [
      [undefined, 'metadata', 'missing_field', '{'],
      [{ metadata: headers(33) }, 'metadata', 'too_many', '"metadata"'],
      [{ metadata: { a: '${req.nope}' } }, 'metadata.a', 'unknown_variable', '.nope}'],
    ],
  },
  'compress-response': {
    phase: 'outbound',
    accepts: [undefined, { algorithms: ['gzip', 'deflate', 'br', 'compress'] }],
    refuses: [
      [{ algorithms: ['zip'] }, 'algorithms[0]', 'out_of_range', '"zip"'],
      [{ algorithms: ['br', 'br'] }, 'algorithms', 'conflicting_fields', '"algorithms"'],
      [{ algorithms: [] }, 'algorithms', 'missing_field', '"algorithms"'],
    ],
  },
  'close-connection': { accepts: [undefined, {}], refuses: [[{ a: 1 }, 'a', 'unknown_field', '"a"']] },
  'jwt-validation': {
    accepts: [
      jwt,
      { ...jwt, jws: { ...jws, keys: [keySet('https://keys.example.com/').keys] } },
      { ...jwt, audience: { allow_list: [value('api')] }, http: { tokens: many(10, () => token) } },
    ],
    refuses: [
      [{ ...jwt, issuer: undefined }, 'issuer', 'missing_field', '"config"'],
      [{ ...jwt, issuer: { allow_list: [] } }, 'issuer.allow_list', 'missing_field', '"allow_list"'],
      [{ ...jwt, issuer: { allow_list: many(21, () => value('i')) } }, 'issuer.allow_list', 'too_many', '"allow_list"'],
      [{ ...jwt, audience: { allow_list: [] } }, 'audience.allow_list', 'missing_field', '"allow_list"'],
      [{ ...jwt, http: { tokens: [] } }, 'http.tokens', 'missing_field', '"tokens"'],
      [{ ...jwt, http: { tokens: many(11, () => token) } }, 'http.tokens', 'too_many', '"tokens"'],
      [{ ...jwt, http: { tokens: [{ ...token, type: 'x' }] } }, 'http.tokens[0].type', 'out_of_range', '"type":"x"'],
      [{ ...jwt, http: { tokens: [{ ...token, method: 'query' }] } }, 'http.tokens[0].method', 'out_of_range', '"met'],
      [{ ...jwt, jws: { ...jws, allowed_algorithms: [] } }, 'jws.allowed_algorithms', 'missing_field', '"allowed_al'],
      ...['none', 'HS256', 'HS384', 'HS512'].map((algorithm): Refusal => [
        { ...jwt, jws: { ...jws, allowed_algorithms: ['RS256', algorithm] } },
        'jws.allowed_algorithms[1]',
        'out_of_range',
        `"${algorithm}"`,
      ]),
      [{ ...jwt, jws: { ...jws, ...keySet() } }, jkus, 'missing_field', '"additional_jkus"'],
      [{ ...jwt, jws: { ...jws, ...keySet(...many(11, () => 'https://k.example')) } }, jkus, 'too_many', '"addition'],
      ...['http://keys.example.com/', 'https://10.0.0.1/', 'https://[::1]/', 'https://localhost/', 'x'].map(
        (url): Refusal => [{ ...jwt, jws: { ...jws, ...keySet(url) } }, `${jkus}[0]`, 'invalid_url', `"${url}"`],
      ),
    ],
  },
  'circuit-breaker': {
    accepts: [
      undefined,
      { error_threshold: 0, volume_threshold: 1, window_duration: '1s', tripped_duration: '1s', num_buckets: 1 },
      { error_threshold: 1, volume_threshold: 2_000_000_000, window_duration: '2m', tripped_duration: '24h' },
    ],
    refuses: [
      [{ error_threshold: 1.01 }, 'error_threshold', 'out_of_range', '"error_threshold"'],
      [{ error_threshold: -0.1 }, 'error_threshold', 'out_of_range', '"error_threshold"'],
      [{ volume_threshold: 0 }, 'volume_threshold', 'out_of_range', '"volume_threshold"'],
      [{ volume_threshold: 2_000_000_001 }, 'volume_threshold', 'out_of_range', '"volume_threshold"'],
      [{ window_duration: '999ms' }, 'window_duration', 'out_of_range', '"window_duration"'],
      [{ tripped_duration: '24h1s' }, 'tripped_duration', 'out_of_range', '"tripped_duration"'],
      [{ tripped_duration: '1 day' }, 'tripped_duration', 'invalid_duration', '"tripped_duration"'],
      [{ num_buckets: 0 }, 'num_buckets', 'out_of_range', '"num_buckets"'],
    ],
  },
  'forward-internal': {
    accepts: [{ url: 'https://b.example', on_error: 'continue', binding: 'internal' }],
    refuses: [
      [{}, 'url', 'missing_field', '"config"'],
      [{ url: 'tcp://b.example:1' }, 'url', 'invalid_url', '"url"'],
      [{ url: 'https://b.example', on_error: 'stop' }, 'on_error', 'out_of_range', '"on_error"'],
    ],
  },
  'verify-webhook': {
    accepts: ['github', 'gitlab', 'slack', 'stripe', 'shopify', 'svix', 'twilio'].map((provider) => ({
      provider,
      secret: 's'.repeat(4096),
    })),
    refuses: [
      [{ provider: 'nobody', secret: 's' }, 'provider', 'out_of_range', '"provider"'],
      [{ provider: 'github' }, 'secret', 'missing_field', '"config"'],
      [{ provider: 'github', secret: '' }, 'secret', 'out_of_range', '"secret"'],
      [{ provider: 'github', secret: 's'.repeat(4097) }, 'secret', 'too_long', '"secret"'],
    ],
  },
}
