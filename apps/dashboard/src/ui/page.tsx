import { type ReactNode, useEffect, useRef } from 'react'

interface Props {
  readonly title: string
  readonly intro?: ReactNode
  readonly actions?: ReactNode
  readonly children: ReactNode
}

/** The frame of every page. The heading takes the focus after navigation, so that a screen reader announces it. */
export function Page({ title, intro, actions, children }: Props) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    document.title = `${title} · Tunnels`
    heading.current?.focus({ preventScroll: true })
  }, [title])
  return (
    <>
      <header className="page-header">
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        {actions !== undefined && <div className="actions">{actions}</div>}
      </header>
      {intro !== undefined && <p className="intro">{intro}</p>}
      {children}
    </>
  )
}
