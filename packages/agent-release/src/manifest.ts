import { type Static, Type } from 'typebox'
import { Check } from 'typebox/value'

const version = Type.String({ pattern: '^\\d{1,6}\\.\\d{1,6}\\.\\d{1,6}$' })
const time = Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d+)?Z$' })
const keyId = Type.String({ pattern: '^[0-9a-f]{16}$' })

/** An agent is never larger than this; what announces more is not downloaded. */
export const bundleMaxBytes = 16 * 1024 * 1024

/** What a release says about itself; exactly this text is signed. */
const manifestSchema = Type.Object(
  {
    schema: Type.Literal(1),
    product: Type.Literal('tunnel-agent'),
    version,
    channel: Type.String({ pattern: '^[a-z][a-z0-9-]{0,31}$' }),
    /** The oldest agent that can update to it. */
    minAgent: version,
    /** The oldest Node that it runs on. */
    minNode: version,
    sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }),
    sizeBytes: Type.Integer({ minimum: 1, maximum: bundleMaxBytes }),
    createdAt: time,
    expiresAt: time,
    /** Lets a device go back to it from a newer version. */
    allowDowngrade: Type.Boolean(),
  },
  { additionalProperties: false },
)
export type Manifest = Static<typeof manifestSchema>

/** A key that signs releases, as a root key vouches for it. */
const keyCertificateSchema = Type.Object(
  {
    schema: Type.Literal(1),
    keyId,
    /** SPKI, base64. */
    publicKey: Type.String({ maxLength: 128 }),
    expiresAt: time,
    /** Earlier release keys that are good no longer. */
    revokes: Type.Array(keyId, { maxItems: 64 }),
  },
  { additionalProperties: false },
)
export type KeyCertificate = Static<typeof keyCertificateSchema>

/** A signed release as it is published: two texts, each with the signature of the key above it. */
const signedReleaseSchema = Type.Object({
  manifest: Type.String({ maxLength: 8192 }),
  signature: Type.String({ maxLength: 128 }),
  key: Type.Object({
    certificate: Type.String({ maxLength: 8192 }),
    signature: Type.String({ maxLength: 128 }),
  }),
})
export type SignedRelease = Static<typeof signedReleaseSchema>

export const signedReleaseMaxBytes = 32 * 1024

export const isManifest = (value: unknown): value is Manifest => Check(manifestSchema, value)
export const isKeyCertificate = (value: unknown): value is KeyCertificate => Check(keyCertificateSchema, value)
export const isSignedRelease = (value: unknown): value is SignedRelease => Check(signedReleaseSchema, value)
