import type { ReactNode } from 'react'
import { Code } from './code.tsx'

interface Props {
  readonly title: string
  readonly children?: ReactNode
  readonly command?: string
}

/** Shown instead of an empty table: what this is for and what to do next, with the command to paste. */
export function Empty({ title, children, command }: Props) {
  return (
    <section className="empty">
      <h2>{title}</h2>
      {children}
      {command !== undefined && <Code text={command} label="Command" />}
    </section>
  )
}
