import { join } from 'node:path'
import { runProcess } from '@tunnel/testkit'

export interface LoadTarget {
  readonly port: number
  readonly host: string
}

export interface LoadResult {
  readonly requests: number
  readonly requestsPerSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
}

interface Printed {
  readonly requests: number
  readonly microseconds: number
  readonly p50: number
  readonly p99: number
  readonly failed: number
}

export interface LoadOptions {
  readonly connections: number
  readonly seconds: number
  readonly path?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Names to ask for in turn, in place of the target's. */
  readonly hosts?: readonly string[]
  /** Makes every request a POST. */
  readonly body?: string
}

/** Loads `path` of a target with one wrk thread. Rejects when a request failed: its figures would mean nothing. */
export async function runWrk(target: LoadTarget, options: LoadOptions): Promise<LoadResult> {
  const load = ['-t1', `-c${options.connections}`, `-d${options.seconds}s`]
  const report = ['-s', join(import.meta.dirname, 'wrk.lua')]
  const url = `http://127.0.0.1:${target.port}${options.path ?? '/'}`
  const headers = Object.entries({ Host: target.host, ...options.headers }).flatMap(([n, v]) => ['-H', `${n}: ${v}`])
  const output = await runProcess('wrk', [...load, ...report, ...headers, url], {
    env: {
      ...(options.body !== undefined && { WRK_BODY: options.body }),
      ...(options.hosts !== undefined && { WRK_HOSTS: options.hosts.join(',') }),
    },
    limitMs: (options.seconds + 20) * 1000,
  })
  const printed = JSON.parse(/^\{.*\}$/m.exec(output)?.[0] ?? '{}') as Printed
  if (printed.failed > 0 || printed.requests === 0) throw new Error(`requests to ${target.host} failed:\n${output}`)
  return {
    requests: printed.requests,
    requestsPerSecond: (printed.requests * 1e6) / printed.microseconds,
    p50Ms: printed.p50 / 1000,
    p99Ms: printed.p99 / 1000,
  }
}
