import { useState } from 'react'
import { useMutation } from '@tanstack/react-query'
import { request } from '../api/request.ts'
import { Button } from '../ui/button.tsx'
import { TextField } from '../ui/field.tsx'
import { ErrorNotice, Notice } from '../ui/notice.tsx'
import { Page } from '../ui/page.tsx'

const example = `{
  "inbound": [
    {
      "name": "only GET",
      "expressions": ["req.method != 'GET'"],
      "actions": [{ "type": "deny", "config": { "status_code": 405 } }]
    }
  ],
  "outbound": [
    {
      "name": "mark replies",
      "actions": [{ "type": "add-headers", "config": { "headers": { "x-served-by": "tunnel" } } }]
    }
  ]
}`

const sampleRequest = `{ "method": "POST", "url": "https://app.example.com/orders", "headers": { "content-type": "application/json" } }`

interface Problem {
  readonly path: string
  readonly message: string
  readonly line?: number
  readonly column?: number
}

interface CheckReply {
  readonly problems: readonly Problem[]
  readonly warnings: readonly Problem[]
  readonly results: readonly unknown[]
}

/** Write a policy, see its problems in place, and see what it would do to a request before it meets a real one. */
export function PolicyPage() {
  const [document, setDocument] = useState(example)
  const [sample, setSample] = useState(sampleRequest)
  const check = useMutation({ mutationFn: () => checkPolicy(document, sample) })
  return (
    <Page
      title="Policy check"
      intro="Policies are given with a tunnel or a route. Try one here before you trust it; nothing is stored."
    >
      <div className="columns">
        <TextField label="Policy" rows={22} value={document} onChange={setDocument} />
        <div>
          <TextField label="Sample request" rows={6} value={sample} onChange={setSample} />
          <Button look="primary" onPress={() => check.mutate()} isPending={check.isPending}>
            Check
          </Button>
          <ErrorNotice error={check.error} />
          {check.data !== undefined && <CheckResult reply={check.data} />}
        </div>
      </div>
    </Page>
  )
}

function checkPolicy(document: string, sample: string): Promise<CheckReply> {
  const requests: unknown[] = sample.trim() === '' ? [] : [JSON.parse(sample)]
  return request<CheckReply>('POST', '/policies/check', { policy: document, requests })
}

function CheckResult({ reply }: { readonly reply: CheckReply }) {
  return (
    <section aria-live="polite">
      {reply.problems.length === 0 ? (
        <Notice look="info">The policy is in order.</Notice>
      ) : (
        <Problems look="warning" problems={reply.problems} />
      )}
      {reply.warnings.length > 0 && <Problems look="info" problems={reply.warnings} />}
      {reply.results.map((result, index) => (
        <pre key={index} tabIndex={0} aria-label="What the policy did">
          {JSON.stringify(result, null, 2)}
        </pre>
      ))}
    </section>
  )
}

function Problems({ look, problems }: { readonly look: 'info' | 'warning'; readonly problems: readonly Problem[] }) {
  return (
    <Notice look={look}>
      <ul>
        {problems.map((problem, index) => (
          <li key={index}>
            {problem.line !== undefined && `Line ${problem.line}, column ${problem.column}: `}
            <code>{problem.path}</code> {problem.message}
          </li>
        ))}
      </ul>
    </Notice>
  )
}
