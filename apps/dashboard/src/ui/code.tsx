import { CopyButton } from './copy-button.tsx'

/** A command or a value to take away, exactly as written. */
export function Code({ text, label }: { readonly text: string; readonly label?: string }) {
  return (
    <div className="code">
      <pre tabIndex={0} aria-label={label ?? 'Text to copy'}>
        {text}
      </pre>
      <CopyButton text={text} />
    </div>
  )
}
