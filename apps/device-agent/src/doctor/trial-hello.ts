import { Heartbeats, type Transport, type Welcome } from '@tunnel/session-protocol'
import { buildFacts } from '../build-facts.ts'
import type { Config } from '../config.ts'
import { holdSession } from '../session/held-session.ts'
import { buildHello, readAuthtoken } from '../session/hello.ts'

const off = 'this is the doctor of the agent'

/** Says hello as somebody new, so that a running agent is not displaced, and leaves. @throws Error with the refusal */
export async function ask(transport: Transport, config: Config): Promise<Welcome> {
  const hello = buildHello({
    agentVersion: buildFacts.version,
    authtoken: await readAuthtoken(config.authtoken),
    metadata: config.metadata,
    capabilities: { restart: off, stop: off, update: off },
    identity: { version: 1, installId: 'doctor', machine: null, resume: null, zone: null },
    bootId: 'doctor',
    update: null,
  })
  let welcome: Welcome | null = null
  const { problem } = await holdSession(transport, hello, new Heartbeats(), {
    onStart: () => undefined,
    onOnline: (session, answer) => {
      welcome = answer
      session.close({ code: 'shutdown', retryAfterMs: 0, message: 'the doctor leaves' })
    },
    onOffline: () => undefined,
    onMessage: () => undefined,
    onStream: (stream) => stream.reset('refused'),
    onRefused: async () => undefined,
  })
  if (welcome === null) throw new Error(problem.message)
  return welcome
}
