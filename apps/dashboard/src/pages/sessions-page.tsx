import { api } from '../api/client.ts'
import { useMemo, useState } from 'react'
import { Link } from 'react-router'
import { useListing } from '../api/queries.ts'
import type { TunnelSession } from '@tunnel/models'
import { AgentCommand } from '../resources/agent-command.tsx'
import { DataTable, type DataColumn } from '../ui/data-table.tsx'
import { Empty } from '../ui/empty.tsx'
import { Choice, TextField } from '../ui/field.tsx'
import { ErrorNotice } from '../ui/notice.tsx'
import { Page } from '../ui/page.tsx'
import { Time } from '../ui/time.tsx'
import { sessionName } from './session-name.ts'
import { useSessionsWithLabel } from './sessions-with-label.ts'

const columns: readonly DataColumn<TunnelSession>[] = [
  { id: 'metadata', title: 'Device', text: sessionName },
  { id: 'ip', title: 'Address', text: (session) => session.ip, width: 150 },
  { id: 'version', title: 'Version', text: (session) => session.agent_version, width: 90 },
  { id: 'os', title: 'System', text: (session) => session.os, width: 90 },
  { id: 'region', title: 'Region', text: (session) => session.region, width: 90 },
  {
    id: 'started',
    title: 'Online since',
    text: (session) => session.started_at,
    cell: (session) => <Time value={session.started_at} />,
    width: 225,
  },
]

/** Every agent that is online now. */
export function SessionsPage() {
  const { data, error, isPlaceholderData } = useListing(api.tunnelSessions)
  const [version, setVersion] = useState(anything)
  const [region, setRegion] = useState(anything)
  const [label, setLabel] = useState('')
  const labelled = useSessionsWithLabel(label.trim())
  const shown = useMemo(
    () =>
      data?.filter(
        (item) =>
          fits(item.agent_version, version) &&
          fits(item.region, region) &&
          (labelled === null || labelled.has(item.id)),
      ) ?? [],
    [data, version, region, labelled],
  )
  return (
    <Page
      title="Sessions"
      intro="Agents that are online now, by what AGENT_METADATA calls them on the device. A session ends when its agent stops or loses the network, and a new one takes its place."
    >
      <ErrorNotice error={error} />
      {data?.length === 0 && (
        <Empty title="No agent is online">
          <p>
            Create an authtoken under <Link to="/authtokens">Authtokens</Link>, then start the agent on the device with
            it:
          </p>
          <AgentCommand />
        </Empty>
      )}
      {data !== undefined && data.length > 0 && (
        <DataTable
          label="Sessions"
          items={shown}
          isPartial={isPlaceholderData}
          columns={columns}
          href={(session) => `/sessions/${session.id}`}
          filters={
            <>
              <Choice
                label="Version"
                value={version}
                onChange={setVersion}
                options={optionsOf(data, (item) => item.agent_version)}
              />
              <Choice
                label="Region"
                value={region}
                onChange={setRegion}
                options={optionsOf(data, (item) => item.region)}
              />
              <TextField label="Label of a tunnel" value={label} onChange={setLabel} placeholder="site=a" />
            </>
          }
        />
      )}
    </Page>
  )
}

const anything = '*'

function fits(value: string, wanted: string): boolean {
  return wanted === anything || value === wanted
}

function optionsOf(sessions: readonly TunnelSession[], of: (session: TunnelSession) => string) {
  const values = [...new Set(sessions.map(of))].sort()
  return [{ id: anything, label: 'any' }, ...values.map((value) => ({ id: value, label: value }))]
}
