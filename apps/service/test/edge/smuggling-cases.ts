/** A request with a trick in it of which no byte may reach the upstream. */
interface RefusedCase {
  readonly name: string
  readonly request: string
  readonly status: number
}

/** A request with a trick in it, and all that the upstream may see of it. */
interface NormalisedCase {
  readonly name: string
  readonly request: string
  readonly upstream: string
}

const host = 'Host: app.test\r\n'
const forwarded = 'X-Forwarded-For: 127.0.0.1\r\nX-Forwarded-Host: app.test\r\nX-Forwarded-Proto: http\r\n'
const chunked = 'Transfer-Encoding: chunked\r\n'
const smuggled = 'GET /smuggled HTTP/1.1\r\nHost: app.test\r\n\r\n'

function refused(name: string, request: string, status = 400): RefusedCase {
  return { name, request, status }
}

function post(headers: string, body = ''): string {
  return `POST / HTTP/1.1\r\n${host}${headers}\r\n${body}`
}

function get(headers: string, target = '/'): string {
  return `GET ${target} HTTP/1.1\r\n${host}${headers}\r\n`
}

/** `rest`: what the upstream gets after the headers that the edge adds. */
function normalised(name: string, request: string, line: string, headers = '', rest = '\r\n'): NormalisedCase {
  return { name, request, upstream: `${line} HTTP/1.1\r\n${host}${headers}${forwarded}${rest}` }
}

export const refusedCases: readonly RefusedCase[] = [
  // Two lengths
  refused('Content-Length before Transfer-Encoding', post(`Content-Length: 4\r\n${chunked}`, `0\r\n\r\n${smuggled}`)),
  refused('Transfer-Encoding before Content-Length', post(`${chunked}Content-Length: 4\r\n`, `0\r\n\r\n${smuggled}`)),
  refused('two equal Content-Length', post('Content-Length: 2\r\nContent-Length: 2\r\n', 'ab')),
  refused('two different Content-Length', post('Content-Length: 0\r\nContent-Length: 44\r\n', smuggled)),
  refused('a list as Content-Length', post('Content-Length: 2, 2\r\n', 'ab')),
  refused('Content-Length with a sign', post('Content-Length: +2\r\n', 'ab')),
  refused('negative Content-Length', post('Content-Length: -1\r\n', 'ab')),
  refused('hexadecimal Content-Length', post('Content-Length: 0x2\r\n', 'ab')),
  refused('empty Content-Length', post('Content-Length:\r\n')),
  refused('Content-Length beyond 64 bits', post('Content-Length: 18446744073709551618\r\n', 'ab')),
  refused('Content-Length beyond exact numbers', post('Content-Length: 9007199254740993\r\n', 'ab')),
  refused('Content-Length with spaces within', post('Content-Length: 1 2\r\n', 'ab')),
  // Transfer-Encoding in disguise
  refused('Transfer-Encoding with a space before the colon', post('Transfer-Encoding : chunked\r\n', '0\r\n\r\n')),
  refused('Transfer-Encoding with a vertical tab', post('Transfer-Encoding: \x0bchunked\r\n', '0\r\n\r\n')),
  refused('an unknown transfer coding', post('Transfer-Encoding: xchunked\r\n', '0\r\n\r\n')),
  refused('chunked not last', post('Transfer-Encoding: chunked, identity\r\n', '0\r\n\r\n')),
  refused('a coding before chunked', post('Transfer-Encoding: gzip, chunked\r\n', '0\r\n\r\n')),
  refused('chunked twice in one header', post('Transfer-Encoding: chunked, chunked\r\n', '0\r\n\r\n')),
  refused('chunked in two headers', post(`${chunked}${chunked}`, '0\r\n\r\n')),
  refused('two Transfer-Encoding that differ', post(`${chunked}Transfer-Encoding: identity\r\n`, '0\r\n\r\n')),
  refused('a quoted transfer coding', post('Transfer-Encoding: "chunked"\r\n', '0\r\n\r\n')),
  refused('empty Transfer-Encoding with Content-Length', post('Transfer-Encoding:\r\nContent-Length: 2\r\n', 'ab')),
  refused('chunked in HTTP/1.0', `POST / HTTP/1.0\r\n${host}${chunked}\r\n0\r\n\r\n`),
  refused('a folded Transfer-Encoding', post('Transfer-Encoding:\r\n chunked\r\n', '0\r\n\r\n')),
  // Line structure
  refused('obsolete folding', get('X-A: b\r\n c\r\n')),
  refused('bare LF as line ends', `GET / HTTP/1.1\nHost: app.test\n\n`),
  refused('bare LF between headers', `GET / HTTP/1.1\r\nHost: app.test\nX-A: b\r\n\r\n`),
  refused('bare CR within a header', get('X-A: b\rContent-Length: 44\r\n')),
  refused('NUL in a value', get('X-A: b\0c\r\n')),
  refused('a control character in a value', get('X-A: b\x01c\r\n')),
  refused('NUL in a name', get('X\0A: b\r\n')),
  refused('a space in a name', get('X A: b\r\n')),
  refused('a header without a colon', get('X-A\r\n')),
  refused('a header without a name', get(': b\r\n')),
  refused('a space before the first header', `GET / HTTP/1.1\r\n Host: app.test\r\n\r\n`),
  // Request line
  refused('a tab in the request line', `GET\t/ HTTP/1.1\r\n${host}\r\n`),
  refused('a space in the target', `GET /a b HTTP/1.1\r\n${host}\r\n`),
  refused('a fragment in the target', get('', '/a#b')),
  refused('a target without a slash', get('', 'index.html')),
  refused('bytes above ASCII in the target', get('', '/\xe4')),
  refused('HTTP/0.9', 'GET /\r\n\r\n'),
  refused('HTTP/2.0 in a request line', `GET / HTTP/2.0\r\n${host}\r\n`),
  refused('HTTP/1.2', `GET / HTTP/1.2\r\n${host}\r\n`),
  refused('the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
  refused('a method in lower case', `get / HTTP/1.1\r\n${host}\r\n`),
  refused('CONNECT', `CONNECT app.test:443 HTTP/1.1\r\n${host}\r\n`),
  refused('TRACE', `TRACE / HTTP/1.1\r\n${host}\r\n`, 405),
  refused('an asterisk with another method than OPTIONS', get('', '*')),
  refused('an absolute target for another host', get('', 'http://www.app.test/')),
  refused('an absolute target with user information', get('', 'http://app.test@www.app.test/')),
  refused('an absolute target of another scheme', get('', 'ftp://app.test/')),
  // Host
  refused('no Host', 'GET / HTTP/1.1\r\n\r\n'),
  refused('no Host in HTTP/1.0', 'GET / HTTP/1.0\r\n\r\n'),
  refused('two Hosts', `GET / HTTP/1.1\r\n${host}Host: www.app.test\r\n\r\n`),
  refused('two equal Hosts', `GET / HTTP/1.1\r\n${host}${host}\r\n`),
  refused('an empty Host', 'GET / HTTP/1.1\r\nHost:\r\n\r\n'),
  refused('a list as Host', 'GET / HTTP/1.1\r\nHost: app.test, www.app.test\r\n\r\n'),
  refused('Host with a path', 'GET / HTTP/1.1\r\nHost: app.test/x\r\n\r\n'),
  refused('Host with user information', 'GET / HTTP/1.1\r\nHost: a@app.test\r\n\r\n'),
  refused('Host with a port that is none', 'GET / HTTP/1.1\r\nHost: app.test:8x\r\n\r\n'),
]

export const normalisedCases: readonly NormalisedCase[] = [
  // Chunked bodies are written anew
  normalised(
    'chunk extensions',
    post(chunked, '2;a=b\r\nab\r\n0;c\r\n\r\n'),
    'POST /',
    '',
    `${chunked}\r\n2\r\nab\r\n0\r\n\r\n`,
  ),
  normalised(
    'leading zeros in a chunk size',
    post(chunked, '0002\r\nab\r\n0\r\n\r\n'),
    'POST /',
    '',
    `${chunked}\r\n2\r\nab\r\n0\r\n\r\n`,
  ),
  normalised(
    'framing and routing names in trailers',
    post(chunked, '0\r\nHost: b\r\nX-Forwarded-For: 1.1.1.1\r\nX-T: 1\r\n\r\n'),
    'POST /',
    '',
    `${chunked}\r\n0\r\nX-T: 1\r\n\r\n`,
  ),
  // Names that are somebody else's word
  normalised(
    'forwarding headers of the visitor',
    get(
      'X-Forwarded-Host: evil\r\nX-Forwarded-Proto: https\r\nForwarded: for=1.1.1.1\r\nX-Real-IP: 1.1.1.1\r\nX-Forwarded-Port: 1\r\n',
    ),
    'GET /',
  ),
  normalised(
    'forwarding headers with underscores',
    get('X_Forwarded_For: 1.1.1.1\r\nx-forwarded_host: evil\r\nX_Real_IP: 1.1.1.1\r\n'),
    'GET /',
  ),
  normalised(
    'framing and one-hop names with underscores',
    post('Content_Length: 44\r\nTransfer_Encoding: chunked\r\nproxy_authorization: b\r\nContent-Length: 2\r\n', 'ab'),
    'POST /',
    '',
    'Content-Length: 2\r\n\r\nab',
  ),
  normalised(
    'framing and routing names with underscores in trailers',
    post(chunked, '0\r\nContent_Length: 1\r\nX_Forwarded_For: 1.1.1.1\r\nX_T: 1\r\n\r\n'),
    'POST /',
    '',
    `${chunked}\r\n0\r\nX_T: 1\r\n\r\n`,
  ),
  normalised(
    'Connection that names forwarding and Host away',
    get('Connection: X-Forwarded-For, host, x-forwarded-PROTO\r\n'),
    'GET /',
  ),
  normalised(
    'Connection that names a header',
    get('Connection: keep-alive, X-Secret\r\nX-Secret: 1\r\nX-Other: 2\r\n'),
    'GET /',
    'X-Other: 2\r\n',
  ),
  normalised(
    'Connection that names the length',
    post('Connection: Content-Length\r\nContent-Length: 2\r\n', 'ab'),
    'POST /',
    '',
    'Content-Length: 2\r\n\r\nab',
  ),
  normalised(
    'headers for one hop',
    get(
      'Keep-Alive: 5\r\nProxy-Connection: a\r\nProxy-Authorization: b\r\nProxy: http://evil\r\nUpgrade: h2c\r\nHTTP2-Settings: x\r\n',
    ),
    'GET /',
  ),
  normalised(
    'an upgrade to h2c',
    get('Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAoAAAAAIAAAAA\r\n'),
    'GET /',
  ),
  normalised(
    'an upgrade with a body',
    `POST / HTTP/1.1\r\n${host}Connection: Upgrade\r\nUpgrade: websocket\r\nContent-Length: 2\r\n\r\nab`,
    'POST /',
    '',
    'Content-Length: 2\r\n\r\nab',
  ),
  // Harmless oddities
  normalised('an absolute target for the Host', get('', 'http://APP.test/a?b'), 'GET /a?b'),
  normalised('an absolute target without a path', get('', 'http://app.test?b'), 'GET /?b'),
  normalised('empty lines before the request', `\r\n\r\n${get('')}`, 'GET /'),
  normalised(
    'spaces around Content-Length',
    post('Content-Length: \t2 \r\n', 'ab'),
    'POST /',
    '',
    'Content-Length: 2\r\n\r\nab',
  ),
  normalised('GET with a body', get('Content-Length: 2\r\n') + 'ab', 'GET /', '', 'Content-Length: 2\r\n\r\nab'),
]

/** Bodies with a fault in them: whatever the upstream got by then, it never sees the body end, nor another request. */
export const brokenChunks: readonly { readonly name: string; readonly body: string }[] = [
  { name: 'a chunk size with 0x', body: '0x2\r\nab\r\n0\r\n\r\n' },
  { name: 'a negative chunk size', body: '-2\r\nab\r\n0\r\n\r\n' },
  { name: 'a chunk size with a sign', body: '+2\r\nab\r\n0\r\n\r\n' },
  { name: 'a chunk size beyond 64 bits', body: 'ffffffffffffffff2\r\nab\r\n0\r\n\r\n' },
  { name: 'an empty chunk size', body: '\r\nab\r\n0\r\n\r\n' },
  { name: 'a space after the chunk size', body: '2 \r\nab\r\n0\r\n\r\n' },
  { name: 'a chunk longer than its size', body: `2\r\nabc\r\n0\r\n\r\n${smuggled}` },
  { name: 'a chunk size that ends with LF', body: `2\nab\r\n0\r\n\r\n${smuggled}` },
  { name: 'chunk data that ends with LF', body: `2\r\nab\n0\r\n\r\n${smuggled}` },
  { name: 'an extension that ends with LF', body: `2;\nab\r\n0\r\n\r\n${smuggled}` },
  { name: 'a quoted extension with a line end', body: `2;a="\r\n"\r\nab\r\n0\r\n\r\n${smuggled}` },
  { name: 'a length in the trailers', body: `2\r\nab\r\n0\r\nContent-Length: 4\r\n\r\n${smuggled}` },
  { name: 'a trailer with a folded line', body: `2\r\nab\r\n0\r\nX: a\r\n b\r\n\r\n${smuggled}` },
]
