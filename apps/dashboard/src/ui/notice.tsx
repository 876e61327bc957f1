import type { ReactNode } from 'react'
import { ApiError } from '@tunnel/api-client'

export function Notice({ look, children }: { readonly look: 'info' | 'warning'; readonly children: ReactNode }) {
  return <div className={`notice ${look}`}>{children}</div>
}

/** The API's own message, its code with a link to the page that explains it, and the id to look for in the log. */
export function ErrorNotice({ error }: { readonly error: Error | null }) {
  if (error === null) return null
  const [code, operationId] = error instanceof ApiError ? [error.code, error.details['operation_id']] : [null]
  return (
    <div className="notice error" role="alert">
      <p>{error.message}</p>
      {code !== null && (
        <p>
          <a href={`/docs/errors#${code.toLowerCase()}`}>{code}</a>
          {operationId !== undefined && <span className="muted"> · {operationId}</span>}
        </p>
      )}
    </div>
  )
}
