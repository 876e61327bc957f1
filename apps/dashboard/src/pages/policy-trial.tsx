import type { PolicyTrial } from '@tunnel/api-client'
import { Notice } from '../ui/notice.tsx'

/** What a policy did with one made-up request: each rule and why, then what went up and what came back. */
export function PolicyTrialView({ trial }: { readonly trial: PolicyTrial }) {
  const { rules, request, response, error } = trial
  return (
    <>
      {error !== undefined && <Notice look="warning">{error}</Notice>}
      <ol className="trial">
        {rules.map((rule, index) => (
          <li key={index}>
            <strong>{rule.name}</strong> <span className="muted">{rule.is_matched ? 'applies' : 'does not apply'}</span>
            {rule.expressions.map(({ text, value, error: failure }) => (
              <div key={text}>
                <code>{text}</code> = {failure ?? JSON.stringify(value)}
              </div>
            ))}
            {rule.actions.map(({ type, outcome }, at) => (
              <div key={at}>
                <code>{type}</code>: {typeof outcome === 'string' ? outcome : JSON.stringify(outcome)}
              </div>
            ))}
          </li>
        ))}
      </ol>
      <h3>The upstream gets</h3>
      <pre>
        {request === null
          ? 'nothing: it is not asked'
          : [`${request.method} ${request.url}`, ...headerLines(request.headers)].join('\n')}
      </pre>
      <h3>The visitor gets</h3>
      <pre>
        {response === null
          ? 'no answer: the connection is closed'
          : [
              `${response.status_code} from the ${trial.answered_by}`,
              ...headerLines(response.headers),
              ...(response.body ? ['', response.body] : []),
            ].join('\n')}
      </pre>
    </>
  )
}

function headerLines(headers: readonly (readonly [string, string])[]): string[] {
  return headers.map(([name, value]) => `${name}: ${value}`)
}
