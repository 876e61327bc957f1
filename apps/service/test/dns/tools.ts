import { runProcess } from '@tunnel/testkit'

const runLimitMs = 20_000

/** Asks with the real dig and returns what it prints. */
export function dig(port: number, ...words: string[]): Promise<string> {
  const args = ['@127.0.0.1', '-p', String(port), '+norec', '+tries=2', '+time=3', ...words]
  return runProcess('dig', args, { limitMs: runLimitMs })
}

/** Asks the server at port 53 of an address. */
export function digAt(address: string, ...words: string[]): Promise<string> {
  return runProcess('dig', [`@${address}`, '+norec', '+tries=2', '+time=3', ...words], { limitMs: runLimitMs })
}

/** Asks with the real kdig and returns what it prints. */
export function kdig(port: number, ...words: string[]): Promise<string> {
  return runProcess('kdig', ['@127.0.0.1', '-p', String(port), ...words], { limitMs: runLimitMs })
}
