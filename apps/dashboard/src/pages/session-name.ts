import type { TunnelSession } from '@tunnel/models'

/** What its agent says about itself. */
export function sessionName({ metadata, id }: TunnelSession): string {
  return metadata || id
}
