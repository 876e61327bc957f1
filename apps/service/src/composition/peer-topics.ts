/** What the processes that share the store tell each other about. */
export const peerTopics = {
  /** A stored resource: the change. */
  change: 'change',
  /** The DNS requirements of a subject are fulfilled: its id. */
  subjectConfirmed: 'subject-confirmed',
  /** What is known of a subject's certificate: its id. */
  subjectState: 'subject-state',
  /** Proofs for the certificate authority: all that are published. */
  proofs: 'proofs',
  /** Somebody has come late and asks for them. */
  proofsWanted: 'proofs-wanted',
} as const
