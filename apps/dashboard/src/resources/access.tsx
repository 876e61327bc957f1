import { api } from '../api/client.ts'
import { useSignInState } from '../api/sign-in.ts'
import { commonFields, type ResourceView } from '../resource/resource-view.ts'
import type { ApiKey, BotUser, Credential } from '@tunnel/models'
import { Code } from '../ui/code.tsx'
import { Time } from '../ui/time.tsx'
import { AgentCommand } from './agent-command.tsx'
import { OwnerName } from './owner-name.tsx'

const owner = {
  kind: 'reference',
  name: 'owner_id',
  label: 'Owner',
  to: api.botUsers,
  isFixed: true,
  hint: 'A bot user. Without one it belongs to you.',
} as const

export const apiKeyView: ResourceView<ApiKey> = {
  listing: api.apiKeys,
  page: 'api-keys',
  title: 'API keys',
  singular: 'API key',
  intro: 'For scripts and clients of the management API.',
  empty: {
    text: 'Create a key to use the API from a script. It is shown once. Or on the machine of the service:',
    more: <ApiKeyCommand />,
  },
  nameOf: (key) => key.description || key.id,
  columns: [
    { id: 'description', title: 'Description', text: (key) => key.description ?? key.id },
    { id: 'owner', title: 'Owner', text: (key) => key.owner_id ?? '', cell: (key) => <OwnerName id={key.owner_id} /> },
    {
      id: 'created',
      title: 'Created',
      text: (key) => key.created_at ?? '',
      cell: (key) => <Time value={key.created_at} />,
      width: 225,
    },
  ],
  fields: [owner, ...commonFields],
  details: (key) => [['Owner', <OwnerName key="owner" id={key.owner_id} />]],
  deleteConsequence: () => 'Every script and client that uses this key is refused from now on.',
  secretField: 'token',
  secretUse: (token) => (
    <>
      <p>Try it:</p>
      <Code
        label="Command"
        text={`curl ${location.origin}/tunnel_sessions -H 'Authorization: Bearer ${token}' -H 'Service-Version: 2'`}
      />
    </>
  ),
}

export const credentialView: ResourceView<Credential> = {
  listing: api.credentials,
  page: 'authtokens',
  title: 'Authtokens',
  singular: 'authtoken',
  intro:
    'The secrets of agents. Give every device its own, owned by a bot user and restricted to the names it may use.',
  empty: {
    text: 'Create an authtoken, then start the agent on the device with it:',
    more: <AgentCommand />,
  },
  nameOf: (credential) => credential.description || credential.id,
  columns: [
    { id: 'description', title: 'Description', text: (credential) => credential.description ?? credential.id },
    { id: 'acl', title: 'May bind', text: (credential) => aclText(credential.acl).replaceAll('bind:', '') },
    {
      id: 'owner',
      title: 'Owner',
      text: (credential) => credential.owner_id ?? '',
      cell: (credential) => <OwnerName id={credential.owner_id} />,
    },
    {
      id: 'created',
      title: 'Created',
      text: (item) => item.created_at ?? '',
      cell: (item) => <Time value={item.created_at} />,
      width: 225,
    },
  ],
  fields: [
    owner,
    {
      kind: 'acl',
      name: 'acl',
      label: 'Access rules',
    },
    ...commonFields,
  ],
  details: (credential) => [
    ['May bind', aclText(credential.acl)],
    ['Owner', <OwnerName key="owner" id={credential.owner_id} />],
  ],
  deleteConsequence: () =>
    'The token is revoked: the agent that uses it loses its session, and its tunnels go offline.',
  secretField: 'token',
  secretUse: (token) => (
    <>
      <p>Or all at once, in a checkout on the device:</p>
      <AgentCommand authtoken={token} />
    </>
  ),
}

export const botUserView: ResourceView<BotUser> = {
  listing: api.botUsers,
  page: 'bot-users',
  title: 'Bot users',
  singular: 'bot user',
  intro: 'Owners of keys and authtokens that belong to no person, such as one per device or per script.',
  empty: {
    text: 'Create one per device, and let it own the authtoken of that device.',
    example: { fields: () => ({ name: 'pi-7' }) },
  },
  nameOf: (bot) => bot.name,
  columns: [
    { id: 'name', title: 'Name', text: (bot) => bot.name },
    { id: 'active', title: 'State', text: (bot) => (bot.active ? 'active' : 'switched off') },
    {
      id: 'created',
      title: 'Created',
      text: (bot) => bot.created_at ?? '',
      cell: (bot) => <Time value={bot.created_at} />,
      width: 225,
    },
  ],
  fields: [
    { kind: 'text', name: 'name', label: 'Name', isRequired: true },
    { kind: 'switch', name: 'active', label: 'Active', initially: true },
  ],
  details: (bot) => [['State', bot.active ? 'active' : 'switched off: its keys and authtokens are refused']],
  deleteConsequence: () => 'Keys and authtokens that it owns stop working.',
}

function ApiKeyCommand() {
  const { data } = useSignInState()
  const account = data?.account?.email ?? '…'
  return <Code label="Command" text={`npm run --silent service -- api-key create --account ${account}`} />
}

function aclText(acl: readonly string[]): string {
  return acl.length === 0 ? 'every name' : acl.join(', ')
}
