const name = String.raw`(\*\.)?[a-z0-9-]+(\.[a-z0-9-]+)*(:\d{1,5})?`
const labelPart = String.raw`[^=\s]+`
const rule = new RegExp(String.raw`^(\*|bind:\*|bind:${name}|bind:${labelPart}=${labelPart})$`, 'i')

/** Whether a text is an ACL rule: `*`, `bind:*`, `bind:NAME`, `bind:*.NAME`, `bind:HOST:PORT` or `bind:LABEL=VALUE`. */
export function isAclRule(text: string): boolean {
  return rule.test(text)
}
