/** Policies of the sizes that the goals name, mixed as real ones are. */
const rule = (expressions: readonly string[], action: object = { type: 'deny' }) => ({ expressions, actions: [action] })
const add = { type: 'add-headers', config: { headers: { 'x-visitor': '${conn.client_ip}' } } }
const limit = {
  type: 'rate-limit',
  config: {
    name: 'n',
    algorithm: 'sliding_window',
    capacity: 2_000_000_000,
    rate: '60s',
    bucket_key: ['conn.client_ip'],
  },
}

const five = [
  rule(["req.method == 'DELETE'"]),
  rule(["req.url.path.startsWith('/admin') && !inCidrRange(conn.client_ip, '10.0.0.0/8')"]),
  rule(["'x-api-version' in req.headers && req.headers['x-api-version'][0] == '1'"]),
  rule(["req.url.path.matches('^/api/v[0-9]+/')"], add),
  rule([], limit),
]

const further = Array.from({ length: 15 }, (_, index) => {
  if (index % 3 === 0) return rule([`req.url.path.startsWith('/x${index}/')`])
  if (index % 3 === 1) return rule([`req.host == 'h${index}.example'`, "req.method in ['PUT', 'POST']"])
  return rule([`'x-h${index}' in req.headers && req.headers['x-h${index}'][0] == 'y'`], add)
})

/** A policy of 5, 15 or 20 rules, none of which refuses the bench's requests. */
export function policyOf(rules: 5 | 15 | 20): { inbound: object[] } {
  return { inbound: [...five, ...further].slice(0, rules) }
}

/** Address blocks of both families, all different, none of which holds the visitor. */
export function manyBlocks(count: number): string[] {
  return Array.from({ length: count }, (_, index) => {
    const [high, low] = [(index >> 8) & 255, index & 255]
    return index % 2 === 0 ? `100.${high}.${low}.0/24` : `2001:db8:${high.toString(16)}:${low.toString(16)}::/64`
  })
}
