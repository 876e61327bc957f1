import { type ReplyOf, defineModel } from './resource-model.ts'
import { described } from './fields.ts'
import { sshCertificateInput, sshCertificateReply } from './ssh-certificate-fields.ts'

/** Proves to SSH clients that a host is the one they mean. */
export const sshHostCertificateModel = defineModel({
  name: 'SSHHostCertificate',
  title: 'SSH host certificate',
  path: '/ssh_host_certificates',
  prefix: 'shcrt',
  listKey: 'ssh_host_certificates',
  create: sshCertificateInput,
  update: described,
  reply: sshCertificateReply,
  fieldErrors: {
    'description:x-maxBytes': 'ssh_host_certificate_description_too_long',
    'metadata:x-maxBytes': 'ssh_host_certificate_metadata_too_long',
    'public_key:required': 'ssh_public_key_missing',
  },
  refusals: [
    'reference_malformed',
    'reference_prefix_wrong',
    'ssh_host_authority_missing',
    'ssh_public_key_unparsable',
    'ssh_public_key_unsupported',
    'time_invalid',
  ],
})
export type SshHostCertificate = ReplyOf<typeof sshHostCertificateModel>
