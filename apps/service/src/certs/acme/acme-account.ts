import { createPublicKey, type KeyObject } from 'node:crypto'
import { calculateJwkThumbprint, exportJWK, FlattenedSign, type FlattenedJWS, type JWK } from 'jose'
import { AcmeError } from './acme-error.ts'
import type { AcmeSigner, AcmeTransport } from './acme-transport.ts'

/** What a commercial authority hands out to tie our account to a customer of theirs (RFC 8555 7.3.4). */
export interface ExternalAccountBinding {
  readonly keyId: string
  readonly hmacKey: Buffer
}

export interface AcmeAccountOptions {
  /** P-256. */
  readonly privateKey: KeyObject
  readonly email: string | null
  readonly externalAccount: ExternalAccountBinding | null
}

export interface AcmeAccount extends AcmeSigner {
  readonly identity: { readonly kid: string }
  /** RFC 7638; the second half of each key authorization. */
  readonly thumbprint: string
}

/** Registers the key, or finds the account that it already has. */
export async function openAcmeAccount(transport: AcmeTransport, options: AcmeAccountOptions): Promise<AcmeAccount> {
  const { privateKey, email, externalAccount } = options
  const { newAccount } = await transport.directory()
  const jwk = await exportJWK(createPublicKey(privateKey))
  const payload = {
    termsOfServiceAgreed: true,
    ...(email === null ? {} : { contact: [`mailto:${email}`] }),
    ...(externalAccount === null ? {} : { externalAccountBinding: await bind(externalAccount, newAccount, jwk) }),
  }
  const { location } = await transport.post('account', newAccount, { privateKey, identity: { jwk } }, payload)
  if (location === null) throw new AcmeError('account', { problem: null, cause: new Error('account without a URL') })
  return { privateKey, identity: { kid: location }, thumbprint: await calculateJwkThumbprint(jwk) }
}

function bind({ keyId, hmacKey }: ExternalAccountBinding, url: string, jwk: JWK): Promise<FlattenedJWS> {
  const octets = new TextEncoder().encode(JSON.stringify(jwk))
  return new FlattenedSign(octets).setProtectedHeader({ alg: 'HS256', kid: keyId, url }).sign(hmacKey)
}
