import { Type } from 'typebox'
import { TextMap, described } from './fields.ts'
import { type ReplyOf, defineModel } from './resource-model.ts'
import { sshCertificateInput, sshCertificateReply } from './ssh-certificate-fields.ts'

const optionsMax = 32

/** Option names with their text; an empty text makes a flag. */
const SshOptions = Type.Record(Type.String(), Type.String({ 'x-maxBytes': 4096 }), { maxProperties: optionsMax })

/** Lets a user log in at SSH servers that trust its authority. */
export const sshUserCertificateModel = defineModel({
  name: 'SSHUserCertificate',
  title: 'SSH user certificate',
  path: '/ssh_user_certificates',
  prefix: 'sucrt',
  listKey: 'ssh_user_certificates',
  create: {
    ...sshCertificateInput,
    critical_options: Type.Optional(SshOptions),
    extensions: Type.Optional(SshOptions),
  },
  update: described,
  reply: { ...sshCertificateReply, critical_options: TextMap, extensions: TextMap },
  fieldErrors: {
    'description:x-maxBytes': 'ssh_user_certificate_description_too_long',
    'metadata:x-maxBytes': 'ssh_user_certificate_metadata_too_long',
    'public_key:required': 'ssh_public_key_missing',
  },
  refusals: [
    'reference_malformed',
    'reference_prefix_wrong',
    'ssh_public_key_unparsable',
    'ssh_public_key_unsupported',
    'ssh_user_authority_missing',
    'time_invalid',
  ],
})
export type SshUserCertificate = ReplyOf<typeof sshUserCertificateModel>
