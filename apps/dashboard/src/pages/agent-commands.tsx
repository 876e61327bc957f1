import { api } from '../api/client.ts'
import { useEffect, useState } from 'react'
import { useChange } from '../api/queries.ts'
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

/** Sends restart, stop and update to the agent of a session, and knows what came of the last one. */
export function useAgentCommands(sessionId: string) {
  const change = useChange()
  const [sent, setSent] = useState<Command | null>(null)
  const [restartAllowedAt, setRestartAllowedAt] = useState(0)
  const waitSeconds = useSecondsUntil(restartAllowedAt)
  const send = (command: Command) =>
    change.mutate(() => api.session(sessionId)[command](), {
      onSettled: (_reply, failure) => setSent(failure === null ? command : null),
      onSuccess: () => command === 'update' && setRestartAllowedAt(Date.now() + updateSettlesMs),
    })
  return { send, sent, waitSeconds, error: change.error, isPending: change.isPending }
}

type AgentCommands = ReturnType<typeof useAgentCommands>

export function CommandButtons({ send, waitSeconds, isPending }: AgentCommands) {
  return (
    <>
      <Button onPress={() => send('restart')} isDisabled={waitSeconds > 0} isPending={isPending}>
        {waitSeconds > 0 ? `Restart in ${waitSeconds} s` : 'Restart'}
      </Button>
      <Button onPress={() => send('update')} isPending={isPending}>
        Update
      </Button>
      <StopButton onStop={() => send('stop')} />
    </>
  )
}

/** What follows of the last command, or the agent's own words when it refused. */
export function CommandOutcome({ sent, error }: AgentCommands) {
  if (error !== null) return <ErrorNotice error={error} />
  return sent === null ? null : <Notice look="info">{outcomes[sent]}</Notice>
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
