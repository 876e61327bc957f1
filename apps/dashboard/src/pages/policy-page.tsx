import type { PolicyCheck, PolicyFinding } from '@tunnel/api-client'
import { useMutation } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { api } from '../api/client.ts'
import { Button } from '../ui/button.tsx'
import { Choice, TextField } from '../ui/field.tsx'
import { ErrorNotice, Notice } from '../ui/notice.tsx'
import { Page } from '../ui/page.tsx'
import { PolicyEditor } from './policy-editor.tsx'
import { PolicyTrialView } from './policy-trial.tsx'

const example = `{
  "inbound": [
    {
      "name": "only GET",
      "expressions": ["req.method != 'GET'"],
      "actions": [
        { "type": "deny", "config": { "status_code": 405 } }
      ]
    }
  ],
  "outbound": [
    {
      "name": "mark replies",
      "actions": [
        {
          "type": "add-headers",
          "config": { "headers": { "x-served-by": "tunnel" } }
        }
      ]
    }
  ]
}`

/** After the last key, so that typing is not checked letter by letter. */
const checkAfterMs = 500

/** Write a policy with its problems in place, and see what it would do to a request before it meets a real one. */
export function PolicyPage() {
  const [policy, setPolicy] = useState(example)
  const findings = useFindings(policy)
  return (
    <Page
      title="Policy check"
      intro="Policies are given with a tunnel, a route or an edge. Try one here before you trust it; nothing is stored."
    >
      <div className="columns">
        <section>
          <PolicyEditor value={policy} onChange={setPolicy} findings={findings.data} />
          <ErrorNotice error={findings.error} />
        </section>
        <DryRun policy={policy} />
      </div>
    </Page>
  )
}

/** What the service finds in the policy, asked again whenever typing pauses. */
function useFindings(policy: string) {
  const check = useMutation({
    mutationFn: async (text: string): Promise<readonly PolicyFinding[]> => {
      const { problems, warnings } = await api.checkPolicy({ policy: text })
      return [...problems, ...warnings]
    },
  })
  const { mutate } = check
  useEffect(() => {
    const timer = setTimeout(() => mutate(policy), checkAfterMs)
    return () => clearTimeout(timer)
  }, [policy, mutate])
  return check
}

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'].map((id) => ({ id, label: id }))

function DryRun({ policy }: { readonly policy: string }) {
  const [method, setMethod] = useState('POST')
  const [url, setUrl] = useState('https://app.example.com/orders')
  const [headers, setHeaders] = useState('content-type: application/json')
  const run = useMutation({
    mutationFn: () => api.checkPolicy({ policy, requests: [{ method, url, headers: parseHeaders(headers) }] }),
  })
  return (
    <section className="card">
      <h2>Dry run</h2>
      <div className="pair">
        <Choice label="Method" value={method} onChange={setMethod} options={methods} />
        <TextField label="Address" value={url} onChange={setUrl} />
      </div>
      <TextField label="Headers" rows={3} value={headers} onChange={setHeaders} hint="One per line, as name: value." />
      <Button look="primary" onPress={() => run.mutate()} isPending={run.isPending}>
        Try the request
      </Button>
      <ErrorNotice error={run.error} />
      <div aria-live="polite">{run.data !== undefined && <DryRunResult check={run.data} />}</div>
    </section>
  )
}

function DryRunResult({ check }: { readonly check: PolicyCheck }) {
  if (check.problems.length > 0) return <Notice look="warning">Correct the policy first; see its problems.</Notice>
  return check.results.map((trial, index) => <PolicyTrialView key={index} trial={trial} />)
}

function parseHeaders(text: string): Record<string, string> {
  const lines = text.split('\n').filter((line) => line.includes(':'))
  return Object.fromEntries(lines.map((line) => line.split(/:(.*)/s, 2).map((part) => part.trim()) as [string, string]))
}
