import type { PolicyFinding } from '@tunnel/api-client'
import { useRef } from 'react'
import { Label, TextArea, TextField } from 'react-aria-components'
import { Notice } from '../ui/notice.tsx'

interface Props {
  readonly value: string
  readonly onChange: (value: string) => void
  /** Undefined until the first answer. */
  readonly findings: readonly PolicyFinding[] | undefined
}

/** A text with line numbers; lines with problems are marked, and each problem leads to its place. */
export function PolicyEditor({ value, onChange, findings }: Props) {
  const area = useRef<HTMLTextAreaElement>(null)
  const lines = value.split('\n')
  const marked = new Set(findings?.map(({ line }) => line))
  const goTo = ({ line = 1, column = 1 }: PolicyFinding) => {
    const at = lines.slice(0, line - 1).join('\n').length + (line > 1 ? 1 : 0) + column - 1
    area.current?.focus()
    area.current?.setSelectionRange(at, at + 1)
  }
  return (
    <TextField className="field editor" value={value} onChange={onChange}>
      <Label>Policy</Label>
      <div className="editor-body">
        <ol aria-hidden="true">
          {lines.map((_, index) => (
            <li key={index} data-problem={marked.has(index + 1)}>
              {index + 1}
            </li>
          ))}
        </ol>
        <TextArea ref={area} rows={lines.length + 1} spellCheck={false} wrap="off" />
      </div>
      <div aria-live="polite">
        {findings?.length === 0 && <Notice look="info">The policy is in order.</Notice>}
        {findings !== undefined && findings.length > 0 && <Findings findings={findings} goTo={goTo} />}
      </div>
    </TextField>
  )
}

interface FindingsProps {
  readonly findings: readonly PolicyFinding[]
  readonly goTo: (finding: PolicyFinding) => void
}

function Findings({ findings, goTo }: FindingsProps) {
  return (
    <Notice look="warning">
      <ul>
        {findings.map((finding, index) => (
          <li key={index}>
            {finding.line !== undefined && (
              <button type="button" className="link" onClick={() => goTo(finding)}>
                Line {finding.line}, column {finding.column}
              </button>
            )}{' '}
            <code>{finding.path}</code> {finding.message}
          </li>
        ))}
      </ul>
    </Notice>
  )
}
