/** A text as one word of a POSIX shell, exactly as it is. */
export function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}
