import { accountErrors } from './accounts.ts'
import { apiErrors } from './api.ts'
import { credentialErrors } from './credentials.ts'
import type { ErrorDefinition } from './definition.ts'
import { edgeErrors } from './edge.ts'
import { localApiErrors } from './local-api.ts'
import { sessionErrors } from './session.ts'
import { sshErrors } from './ssh.ts'

/** Every error that the product can answer, by reason. Areas live in files of their own. */
export const errorCatalogue = {
  ...accountErrors,
  ...apiErrors,
  ...credentialErrors,
  ...edgeErrors,
  ...localApiErrors,
  ...sessionErrors,
  ...sshErrors,
}

export type ErrorCatalogue = typeof errorCatalogue
export type ErrorReason = keyof ErrorCatalogue

/** The catalogue seen without its exact texts, for code that handles any reason. */
export const errorDefinitions: Readonly<Record<string, ErrorDefinition>> = errorCatalogue
