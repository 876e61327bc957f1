import { TooltipTrigger, Tooltip, Focusable } from 'react-aria-components'

const shown = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })

/** A moment in the viewer's zone; the exact value as the API sent it appears on hover and focus. */
export function Time({ value }: { readonly value: string | null | undefined }) {
  if (value === null || value === undefined || value === '') return <span className="muted">–</span>
  return (
    <TooltipTrigger delay={300}>
      <Focusable>
        <time dateTime={value} tabIndex={0} role="note">
          {shown.format(new Date(value))}
        </time>
      </Focusable>
      <Tooltip className="tooltip">{value}</Tooltip>
    </TooltipTrigger>
  )
}
