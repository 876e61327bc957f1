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
      { path: '/agent-ingresses', title: 'Agent ingresses' },
    ],
  },
  {
    title: 'Traffic',
    pages: [
      { path: '/edges', title: 'HTTPS edges' },
      { path: '/tunnel-groups', title: 'Tunnel groups' },
      { path: '/http-responses', title: 'HTTP responses' },
      { path: '/ip-policies', title: 'IP policies' },
      { path: '/policy-check', title: 'Policy check' },
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
