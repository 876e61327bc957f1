import { accountErrors } from './accounts.ts'
import { apiErrors } from './api.ts'
import { backendErrors } from './backends.ts'
import { certificateErrors } from './certificates.ts'
import { credentialErrors } from './credentials.ts'
import type { ErrorDefinition } from './definition.ts'
import { edgeErrors } from './edge.ts'
import { edgeConfigurationErrors } from './edges.ts'
import { ipPolicyErrors } from './ip-policies.ts'
import { localApiErrors } from './local-api.ts'
import { nameErrors } from './names.ts'
import { policyErrors } from './policy.ts'
import { sessionErrors } from './session.ts'
import { sshErrors } from './ssh.ts'

/** Every error that the product can answer, by reason. Areas live in files of their own. */
export const errorCatalogue = {
  ...accountErrors,
  ...apiErrors,
  ...backendErrors,
  ...certificateErrors,
  ...credentialErrors,
  ...edgeConfigurationErrors,
  ...edgeErrors,
  ...ipPolicyErrors,
  ...localApiErrors,
  ...nameErrors,
  ...policyErrors,
  ...sessionErrors,
  ...sshErrors,
}

export type ErrorCatalogue = typeof errorCatalogue
export type ErrorReason = keyof ErrorCatalogue

/** The catalogue seen without its exact texts, for code that handles any reason. */
export const errorDefinitions: Readonly<Record<string, ErrorDefinition>> = errorCatalogue
