import type { FieldErrors } from './resource-model.ts'

/** Errors that all backends share. */
export const backendTextErrors = {
  'description:x-maxBytes': 'backend_description_too_long',
  'metadata:x-maxBytes': 'backend_metadata_too_long',
} satisfies FieldErrors
