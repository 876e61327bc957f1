import { api } from '../api/client.ts'
import { useEffect, useState } from 'react'
import { useChange } from '../api/queries.ts'
import type { TunnelSession } from '@tunnel/models'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { ErrorNotice, Notice } from '../ui/notice.tsx'

type Command = 'restart' | 'stop' | 'update'

/** An agent needs this long to fetch and check an update before a restart can use it. */
const updateSettlesMs = 10_000

const outcomes: Record<Command, string> = {
  restart: 'The agent restarts. It comes back as a new session within seconds.',
  stop: 'The agent exits. Its tunnels stay offline until somebody starts it on the device.',
  update: 'The agent fetches the update. When it is ready, restart the agent to use it.',
}

/** Restart, stop and update, with the agent's own words when it refuses. */
export function AgentCommands({ session }: { readonly session: TunnelSession }) {
  const change = useChange()
  const [sent, setSent] = useState<Command | null>(null)
  const [restartAllowedAt, setRestartAllowedAt] = useState(0)
  const waitSeconds = useSecondsUntil(restartAllowedAt)
  const send = (command: Command) =>
    change.mutate(() => api.session(session.id)[command](), {
      onSettled: (_reply, failure) => setSent(failure === null ? command : null),
      onSuccess: () => command === 'update' && setRestartAllowedAt(Date.now() + updateSettlesMs),
    })
  return (
    <section className="commands">
      <div className="actions">
        <Button onPress={() => send('restart')} isDisabled={waitSeconds > 0} isPending={change.isPending}>
          {waitSeconds > 0 ? `Restart in ${waitSeconds} s` : 'Restart'}
        </Button>
        <Button onPress={() => send('update')} isPending={change.isPending}>
          Update
        </Button>
        <StopButton onStop={() => send('stop')} />
      </div>
      <ErrorNotice error={change.error} />
      {sent !== null && change.error === null && <Notice look="info">{outcomes[sent]}</Notice>}
    </section>
  )
}

function StopButton({ onStop }: { readonly onStop: () => void }) {
  return (
    <Dialog title="Stop this agent?" trigger={<Button look="danger">Stop</Button>}>
      {(close) => (
        <>
          <p>{outcomes.stop}</p>
          <footer className="dialog-footer">
            <Button onPress={close}>Cancel</Button>
            <Button look="danger" onPress={() => (onStop(), close())}>
              Stop the agent
            </Button>
          </footer>
        </>
      )}
    </Dialog>
  )
}

function useSecondsUntil(moment: number): number {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    if (moment <= Date.now()) return
    const timer = setInterval(() => setNow(Date.now()), 500)
    return () => clearInterval(timer)
  }, [moment])
  return Math.max(0, Math.ceil((moment - now) / 1000))
}
