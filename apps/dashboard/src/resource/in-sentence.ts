/** `Bot users` as `bot users`; short forms such as TLS stay as they are. */
export function inSentence(title: string): string {
  return title.replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase())
}
