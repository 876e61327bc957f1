import { sshCertificateAuthorityModel } from '@tunnel/models'
import { encodeRevocationList, parsePublicKey } from '@tunnel/ssh-certificates'
import type { FastifyInstance, RouteShorthandOptions } from 'fastify'
import { Type } from 'typebox'
import type { CallReader } from '../../api/caller.ts'
import type { Records } from '../../storage/records.ts'
import type { Resource } from '../kernel/resource.ts'
import { revokedKeyIds } from '../ssh-certificates/revocations.ts'
import type { SshAuthorityBody } from './ssh-certificate-authorities.ts'

export interface RevocationListParts {
  readonly authorities: Resource<typeof sshCertificateAuthorityModel, SshAuthorityBody>
  readonly records: Records
}

/** The OpenSSH key revocation list of an authority: an addition of this product, which makes a delete revoke. */
export function revocationListRoute(
  app: FastifyInstance,
  { authorities, records }: RevocationListParts,
  callOf: CallReader,
): void {
  const path = `${sshCertificateAuthorityModel.path}/:id/krl`
  app.get<{ Params: { id: string } }>(path, options, async (request, reply) => {
    const call = callOf(request)
    const { id, body } = await authorities.get(request.params.id, call)
    const generatedAt = BigInt(Math.floor(call.now / 1000))
    const list = encodeRevocationList({
      authority: parsePublicKey(body.public_key),
      keyIds: await revokedKeyIds(records, id, call.now),
      version: generatedAt,
      generatedAt,
      comment: id,
    })
    return reply.type(binary).send(list)
  })
}

const binary = 'application/octet-stream'

const options: RouteShorthandOptions = {
  schema: {
    tags: [sshCertificateAuthorityModel.title],
    summary: 'Revocation list',
    description: 'For RevokedHostKeys of ssh and RevokedKeys of sshd: deleted certificates that have not expired.',
    response: { 200: { content: { [binary]: { schema: Type.String({ format: 'binary' }) } } } },
  },
}
