/** The public key of RFC 8032, section 7.1, test 1. */
export const edPublicKey =
  'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAINdamAGCsQq31Uv+08lkBzoO4XLz2qYjJa8CGmj3B1Ea host@example'
