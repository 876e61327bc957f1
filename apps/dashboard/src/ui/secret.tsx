import { Code } from './code.tsx'
import { Notice } from './notice.tsx'

/** A secret in the one moment in which it can be seen. */
export function Secret({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <section aria-label={name}>
      <Notice look="warning">Copy it now. It is stored only as a hash and cannot be shown again.</Notice>
      <Code text={value} label={name} />
    </section>
  )
}
