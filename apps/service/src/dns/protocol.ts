/** Numbers of RFC 1035, 3596, 6891 and 8482 that the server speaks of. */
export const recordTypes = {
  A: 1,
  NS: 2,
  CNAME: 5,
  SOA: 6,
  HINFO: 13,
  TXT: 16,
  AAAA: 28,
  OPT: 41,
  ANY: 255,
  CAA: 257,
} as const

export const classIn = 1

export const responseCodes = {
  noError: 0,
  formatError: 1,
  serverFailure: 2,
  nameError: 3,
  notImplemented: 4,
  refused: 5,
  /** Extended: needs the OPT record for its upper bits (RFC 6891 6.1.3). */
  badVersion: 16,
} as const

export const headerFlags = {
  response: 0x8000,
  authoritative: 0x0400,
  truncated: 0x0200,
  recursionDesired: 0x0100,
} as const

export const headerOctets = 12

/** OPCODE and RD, which a response repeats. */
export const echoedFlags = 0x7900
