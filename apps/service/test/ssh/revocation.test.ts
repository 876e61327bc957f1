import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { askSshKeygen, hasOpenSsh } from '@tunnel/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Client, type TestApi, type WireBody, engines, startTestApi } from '../api/api-harness.ts'
import { edPublicKey } from './keys.ts'

const hosts = '/ssh_host_certificates'

describe.skipIf(!hasOpenSsh).each(engines)('the revocation list of an authority on %s', (engine) => {
  let api: TestApi
  let client: Client
  let authority: WireBody
  beforeAll(async () => {
    api = await startTestApi(engine)
    client = await api.newClient()
    authority = await client.create('/ssh_certificate_authorities')
  })
  afterAll(() => api[Symbol.asyncDispose]())

  async function certify(path: string, changes: object = {}): Promise<WireBody> {
    return client.create(path, { ssh_certificate_authority_id: authority.id, public_key: edPublicKey, ...changes })
  }

  async function fetchList(): Promise<string> {
    const headers = { authorization: `Bearer ${client.token}`, 'service-version': '2' }
    const { rawPayload, headers: sent } = await api.app.inject({
      method: 'GET',
      url: `/ssh_certificate_authorities/${authority.id}/krl`,
      headers,
    })
    expect(sent['content-type']).toBe('application/octet-stream')
    const file = join(api.dataDir, 'krl')
    writeFileSync(file, rawPayload)
    return file
  }

  function verdict(list: string, certificate: WireBody): string {
    const file = join(api.dataDir, 'x-cert.pub')
    writeFileSync(file, String(certificate['certificate']))
    return askSshKeygen('-Q', '-f', list, file).output
  }

  it('holds host and user certificates from their deletion on', async () => {
    const [kept, gone, user] = [await certify(hosts), await certify(hosts), await certify('/ssh_user_certificates')]
    expect(verdict(await fetchList(), gone)).toContain(': ok')
    await client.send('DELETE', `${hosts}/${gone.id}`)
    await client.send('DELETE', `/ssh_user_certificates/${user.id}`)
    const list = await fetchList()
    expect(verdict(list, gone)).toContain('REVOKED')
    expect(verdict(list, user)).toContain('REVOKED')
    expect(verdict(list, kept)).toContain(': ok')
  })

  it('leaves out what has expired', async () => {
    const expired = await certify(hosts, { valid_after: '2020-01-01T00:00:00Z', valid_until: '2020-01-02T00:00:00Z' })
    await client.send('DELETE', `${hosts}/${expired.id}`)
    expect(verdict(await fetchList(), expired)).toContain(': ok')
  })

  it('disappears with its authority', async () => {
    for (const { id } of (await client.send('GET', hosts)).body[hosts.slice(1)] as WireBody[])
      await client.send('DELETE', `${hosts}/${id}`)
    expect((await client.send('DELETE', `/ssh_certificate_authorities/${authority.id}`)).status).toBe(204)
    expect((await client.send('GET', `/ssh_certificate_authorities/${authority.id}/krl`)).status).toBe(404)
    const left = await api.storage.db.selectFrom('resources').select('kind').where('kind', '=', 'sshrv').execute()
    expect(left).toEqual([])
  })
})
