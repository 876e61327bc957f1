import { readFile, writeFile } from 'node:fs/promises'
import { ServiceError } from '@tunnel/models'

/** A traffic policy as it was given. The agent keeps and forwards it unchanged; the service gives it its meaning. */
export type PolicyDocument = { readonly [key: string]: unknown }

const sample: PolicyDocument = {
  inbound: [],
  outbound: [
    {
      name: 'Add headers to responses',
      expressions: [],
      actions: [{ type: 'add-headers', config: { headers: { 'is-tunnel': 'true' } } }],
    },
  ],
}

/** Writes the sample where there is no default policy file yet. */
export async function createDefaultPolicy(path: string): Promise<void> {
  const text = `${JSON.stringify(sample, null, 2)}\n`
  await writeFile(path, text, { flag: 'wx', mode: 0o600 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
}

/**
 * Reads a policy file anew, so that an edit counts from the next tunnel on.
 * @throws ServiceError `policy_file_unusable`: publishing without the policy would open what it protects
 */
export async function readPolicyFile(path: string): Promise<PolicyDocument> {
  try {
    return parsePolicy(JSON.parse(await readFile(path, 'utf8')))
  } catch (error) {
    throw new ServiceError('policy_file_unusable', {}, { cause: error })
  }
}

/** Throws for what is no JSON object. */
export function parsePolicy(json: unknown): PolicyDocument {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) throw new Error('a policy is a JSON object')
  return json as PolicyDocument
}
