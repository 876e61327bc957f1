interface Section {
  readonly title: string
  readonly pages: readonly { readonly path: string; readonly title: string }[]
}

/** The menu: every page by the question it answers. */
export const navigation: readonly Section[] = [
  {
    title: 'Live',
    pages: [
      { path: '/', title: 'Overview' },
      { path: '/sessions', title: 'Sessions' },
      { path: '/tunnels', title: 'Tunnels' },
    ],
  },
  {
    title: 'Access',
    pages: [
      { path: '/authtokens', title: 'Authtokens' },
      { path: '/api-keys', title: 'API keys' },
      { path: '/bot-users', title: 'Bot users' },
    ],
  },
  {
    title: 'Names',
    pages: [
      { path: '/reserved-domains', title: 'Reserved domains' },
      { path: '/reserved-addresses', title: 'Reserved addresses' },
      { path: '/agent-ingresses', title: 'Agent ingresses' },
      { path: '/tls-certificates', title: 'TLS certificates' },
    ],
  },
  {
    title: 'Edges',
    pages: [
      { path: '/edges', title: 'HTTPS edges' },
      { path: '/tls-edges', title: 'TLS edges' },
      { path: '/tcp-edges', title: 'TCP edges' },
      { path: '/ip-policies', title: 'IP policies' },
      { path: '/certificate-authorities', title: 'Certificate authorities' },
      { path: '/policy-check', title: 'Policy check' },
    ],
  },
  {
    title: 'Backends',
    pages: [
      { path: '/tunnel-groups', title: 'Tunnel groups' },
      { path: '/http-responses', title: 'HTTP responses' },
      { path: '/static-backends', title: 'Static backends' },
      { path: '/weighted-backends', title: 'Weighted backends' },
      { path: '/failover-backends', title: 'Failover backends' },
    ],
  },
  {
    title: 'SSH',
    pages: [
      { path: '/ssh-authorities', title: 'Authorities' },
      { path: '/ssh-host-certificates', title: 'Host certificates' },
      { path: '/ssh-user-certificates', title: 'User certificates' },
    ],
  },
]
