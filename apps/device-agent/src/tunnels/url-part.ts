/**
 * The tunnels that `url_part` means. The first level with a match decides: the whole url, then its host (with or without
 * port), then the first label of the host. More than one match is the caller's to refuse.
 */
export function matchUrlPart<T extends { readonly url: string }>(tunnels: readonly T[], urlPart: string): readonly T[] {
  const wanted = urlPart.toLowerCase().replace(/\/$/, '')
  for (const namesOf of levels) {
    const matches = tunnels.filter((tunnel) => namesOf(new URL(tunnel.url)).includes(wanted))
    if (matches.length > 0) return matches
  }
  return []
}

const levels: readonly ((url: URL) => readonly (string | undefined)[])[] = [
  (url) => [url.href.replace(/\/$/, '')],
  (url) => [url.host, url.hostname],
  (url) => [url.hostname.split('.')[0]],
]
