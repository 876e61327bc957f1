import type { Stage } from '../pipeline.ts'

/** Proofs of control of a host name that are under way (http-01, RFC 8555 8.3). */
export interface ChallengeAnswers {
  /** What to answer to a token for this host; undefined when no proof of ours is under way. */
  find(hostName: string, token: string): string | undefined
}

const challengePath = /^\/\.well-known\/acme-challenge\/([\w-]{1,256})$/

/** Answers certificate authorities; everything else, also challenges of programs behind a tunnel, goes on. */
export function answerChallenges(challenges: ChallengeAnswers): Stage {
  return (exchange, next) => {
    const token = challengePath.exec(exchange.request.target)?.[1]
    const answer = token === undefined ? undefined : challenges.find(exchange.request.hostName, token)
    if (answer === undefined) return next()
    const body = Buffer.from(answer)
    const headers = ['Content-Type', 'application/octet-stream', 'Content-Length', String(body.length)]
    return exchange.answer({ head: { status: 200, reason: 'OK', headers }, body })
  }
}
