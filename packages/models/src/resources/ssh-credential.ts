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
})
export type SshCredential = ReplyOf<typeof sshCredentialModel>
