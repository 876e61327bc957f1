import type { ReactNode } from 'react'

/** Names and values of one thing. */
export function Details({ rows }: { readonly rows: readonly (readonly [string, ReactNode])[] }) {
  return (
    <dl className="details">
      {rows.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value === '' || value === undefined || value === null ? <span className="muted">–</span> : value}</dd>
        </div>
      ))}
    </dl>
  )
}
