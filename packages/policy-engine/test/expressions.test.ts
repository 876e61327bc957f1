import { isCelError } from '@bufbuild/cel'
import { describe, expect, it } from 'vitest'
import type { Problem, TextPosition } from '../src/index.ts'
import { compileExpression } from '../src/expressions/expression.ts'
import { renderText } from '../src/expressions/json-values.ts'
import type { Phase } from '../src/expressions/exchange.ts'
import { begin, compile, type Sample } from './harness.ts'

function evaluate(text: string, sample: Sample = {}): string {
  const expression = compileExpression(text, 'request', {
    refuse: (code, message) => expect.fail(`${code} ${message}`),
    warn() {},
  })
  const result = expression?.evaluate(begin(compile({}), sample).scope)
  return result === undefined || isCelError(result) ? 'error' : renderText(result)
}

function refusal(text: string, phase: Phase = 'request'): string {
  const found: Problem[] = []
  compileExpression(text, phase, {
    refuse: (code, message, position) => found.push({ path: '', code, message, ...position }),
    warn() {},
  })
  return found.map(({ code, message, offset }) => `${code} at ${offset}: ${message}`).join('\n')
}

const sample: Sample = {
  url: 'https://app.example.com/api/v1/items?tag=a&tag=b&q=x%20y',
  headers: [
    ['User-Agent', 'curl/8.0'],
    ['X-Count', '5'],
    ['Cookie', 'session=abc; theme=dark'],
    ['Accept', 'a'],
    ['accept', 'b'],
  ],
  clientIp: '10.1.2.3',
}

describe('name resolution', () => {
  it.each([
    ['has(req.url.port)', 'false'],
    ['has(req.url.path)', 'true'],
    ['[1, 2].exists(req, req == 2)', 'true'],
    ["['a'].all(vars, vars == 'a')", 'true'],
    ["[{'url': {'path': 'x'}}].exists(req, req.url.path == 'x')", 'true'],
    ["req.url.startsWith('https://') && req.url.path == '/api/v1/items'", 'true'],
    ['has(req.headers.accept) && !has(req.headers.nope)', 'true'],
  ])('makes %s %s', (text, expected) => expect(evaluate(text, sample)).toBe(expected))
})

describe('a request', () => {
  it.each([
    ["req.headers['X-Count'][0]", '5'],
    ["'x-COUNT' in req.headers", 'true'],
    ["has(req.headers['X-Count'])", 'true'],
    ["hasReqHeader('X-Count') && getReqHeader('accept') == ['a', 'b']", 'true'],
    ["getReqHeader('nope').size()", '0'],
    ["req.headers.exists(name, name == 'user-agent')", 'true'],
    ['["X-Count"].all(name, req.headers[name] == [\'5\'])', 'true'],
    ["req.cookies['session'][0].value", 'abc'],
    ["getReqCookie('theme')[0].value", 'dark'],
    ["getQueryParam('tag')", '["a","b"]'],
    ["req.url.query_params['q'][0]", 'x y'],
    ['req.url.query', 'tag=a&tag=b&q=x%20y'],
    ['req.host + req.url.host', 'app.example.comapp.example.com'],
    ['int(req.headers["x-count"][0]) > 4', 'true'],
    ["inCidrRange(conn.client_ip, '10.0.0.0/8') && conn.client_ip.isPrivateIp()", 'true'],
    ["inCidrRanges(conn.client_ip, ['nonsense', '192.168.0.0/16'])", 'false'],
    ['timestamp(time.now) > timestamp(0)', 'true'],
    ['conn.server_port + 1', '444'],
    ['has(req.content_length)', 'false'],
    ["req.headers['nope'][0] == 'x'", 'error'],
    ["req.headers['nope'][0] == 'x' || true", 'true'],
    ['req.content_length > 5', 'error'],
    ['vars.nope == 1', 'error'],
    ['json.decode("{\\"a\\": [1]}").a[0] + 1', '2'],
    ['"a b".escapeUrl() + hash.crc32("123456789")', 'a%20bcbf43926'],
    ['hash.crc64("123456789") + "".crc64()', 'b90956c775a410010000000000000000'],
    ['hash.xxhash64("") + "abc".xxhash64()', 'ef46db3751d8e99944bc2cf5ad770999'],
    ['"The quick brown fox jumps over the lazy dog".xxhash64()', '0b242d361fda71bc'],
    ["[{'n': 'b', 'a': 2}, {'n': 'a', 'a': 3}, {'n': 'c', 'a': 1}].sortBy(x, x.a).map(x, x.n)", '["c","b","a"]'],
    ["['bb', 'a', 'ccc'].sortBy(req, -size(req))", '["ccc","bb","a"]'],
    ["[1, 2].sortBy(x, x == 1 ? 'a' : [x])", 'error'],
    ['"x".sha256("base64")', 'LXEWQrcmsEQBYnyp+6wy9chTD7GQPMTbAiWHF5IaSIE='],
    ['base64.encode("ab") + "YWI=".decodeBase64()', 'YWI=ab'],
    ['basic_auth.encode("u", "p")', 'Basic dTpw'],
    ['[3, 1, 2].sort().slice(0, 2)', '[1,2]'],
    ['[[1], [2, 3]].flatten().distinct()', '[1,2,3]'],
    ['queryString.decode("a=1&b=2&b=3")', '{"a":"1","b":["2","3"]}'],
    ['queryString.encode({"a": "x y", "b": ["1", "2"]})', 'a=x%20y&b=1&b=2'],
    ['url.parse("https://h.example:8443/p?q#f").port', '8443'],
    ['rand.int(3, 3) == 3 && rand.double() < 1.0', 'true'],
    ['"a-b-a".replace("a", "$&") + "a-b-a".replace("a", "c", 1)', '$&-b-$&c-b-a'],
    ['true // a comment at the end', 'true'],
  ])('%s is %s', (text, expected) => expect(evaluate(text, sample)).toBe(expected))
})

describe('the checker refuses, with a position,', () => {
  it.each([
    ["req.metod == 'GET'", "unknown_variable at 3: unknown variable 'req.metod' (did you mean 'req.method'?)"],
    ['res.status_code == 200', "wrong_phase at 3: 'res.status_code' is not available in this phase"],
    [
      "conn.geo.country_code == 'DE'",
      "variable_unavailable at 8: 'conn.geo.country_code' is not available on this server, so no rule may depend on it",
    ],
    [
      'conn.client_ip.is_tor_node',
      "variable_unavailable at 14: 'conn.client_ip.is_tor_node' is not available on this server, so no rule may depend on it",
    ],
    ["1 > 'a'", 'no_overload at 2: no overload for _>_(int, string)'],
    ["req.content_length == '5'", 'no_overload at 19: no overload for _==_(int, string)'],
    ["!req.method in ['GET']", 'no_overload at 0: no overload for !_(string)'],
    ["req.url.includes('x')", "unknown_function at 7: unknown function 'includes'"],
    ["req.url.path.starts_with('x')", "unknown_function at 12: unknown function 'starts_with'"],
    ["['a'].contains('a')", 'no_overload at 5: no overload for list(string).contains(string)'],
    ["req.method.matches('(')", 'invalid_regex at 19: error parsing regexp: missing closing ): `(`'],
    [
      "req.method.matches('(?=x)')",
      'invalid_regex at 19: error parsing regexp: invalid or unsupported Perl syntax: `(?=`',
    ],
    ["req.method == 'it's'", 'expression_syntax'],
    ['constructor', "unknown_variable at 0: unknown variable 'constructor'"],
    ['__proto__.x', "unknown_variable at 9: unknown variable '__proto__.x'"],
    ['TestAllTypes{} == 1', 'unknown_function at 0: messages such as TestAllTypes cannot be built here'],
    ['[1].all(a, [1].all(b, [1].all(c, true)))', 'too_complex at 25: loops nest at most 2 deep'],
    [
      'json.decode("[]").all(a, req.headers.all(b, true))',
      'too_complex at 36: loops may run 5000 times, this one could run 100000',
    ],
    ['('.repeat(65) + '1' + ')'.repeat(65), 'too_complex at 64: brackets nest at most 64 deep'],
    [`${'1+'.repeat(400)}1`, 'too_complex'],
    [`'${'x'.repeat(4096)}'`, 'too_long at 0: an expression has at most 4096 characters'],
    ['', 'expression_syntax at 0: the expression is empty'],
    ["['a'].sortBy(x.y, 1)", 'no_overload at 5: sortBy() takes a name and a key'],
    ["['a'].sortBy(x, y)", "unknown_variable at 16: unknown variable 'y'"],
    ["'a'.sortBy(x, x)", 'no_overload at 3: cannot loop over string'],
    ["has('x')", 'no_overload at 0: has() takes a field, such as has(req.headers.accept)'],
    ['@random > 1', 'expression_syntax'],
  ])('%s', (text, message) => expect(refusal(text)).toContain(message))

  it('names a line and a column', () => {
    const found: Problem[] = []
    const refuse = (code: Problem['code'], message: string, position?: TextPosition): void =>
      void found.push({ path: '', code, message, ...position })
    compileExpression("req.method == 'GET' &&\n  req.nope", 'request', { refuse, warn() {} })
    expect(found[0]).toMatchObject({ line: 2, column: 6, offset: 28 })
  })
})
