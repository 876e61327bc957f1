/** Checks authtokens. Throws `ServiceError` `authtoken_malformed`, `authtoken_invalid` or `authtoken_revoked`. */
export interface AuthtokenVerifier {
  verify(token: string): Promise<VerifiedAuthtoken>
}

export interface VerifiedAuthtoken {
  readonly credentialId: string
  readonly accountId: string
  readonly acl: readonly string[]
}
