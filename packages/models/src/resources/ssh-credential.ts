import { Type } from 'typebox'
import { Acl } from './credential.ts'
import { described } from './fields.ts'
import { type ReplyOf, defineModel } from './resource-model.ts'

/** An SSH public key that may start a session. */
export const sshCredentialModel = defineModel({
  name: 'SSHCredential',
  title: 'SSH credential',
  path: '/ssh_credentials',
  prefix: 'sshcr',
  listKey: 'ssh_credentials',
  create: {
    ...described,
    public_key: Type.String({ 'x-maxBytes': 16_384, description: 'One authorized_keys line.' }),
    acl: Type.Optional(Acl),
    owner_id: Type.Optional(Type.String()),
  },
  update: { ...described, acl: Type.Optional(Acl) },
  reply: { ...described, public_key: Type.String(), acl: Acl, owner_id: Type.Optional(Type.String()) },
  fieldErrors: {
    'description:x-maxBytes': 'credential_description_too_long',
    'metadata:x-maxBytes': 'credential_metadata_too_long',
    'public_key:required': 'ssh_credential_key_missing',
    'public_key:x-maxBytes': 'ssh_credential_key_unparsable',
  },
  emptyPatch: 'credential_patch_empty',
  refusals: [
    'acl_rule_invalid',
    'owner_needs_admin',
    'owner_unknown',
    'reference_malformed',
    'reference_prefix_wrong',
    'ssh_credential_key_taken',
    'ssh_credential_key_taken_by_other',
    'ssh_credential_key_unparsable',
  ],
})
export type SshCredential = ReplyOf<typeof sshCredentialModel>
