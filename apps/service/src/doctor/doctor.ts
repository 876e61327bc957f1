import { type TlsCertificate, tlsCertificateModel } from '@tunnel/models'
import { StoredStates } from '../certs/provisioning/stored-states.ts'
import type { ServiceConfig } from '../config.ts'
import { PublicDns } from '../dns/public-dns.ts'
import { openStorage, type Storage } from '../storage/open-storage.ts'
import { checkAuthority } from './authority-checks.ts'
import { type Finding, find } from './finding.ts'
import { checkNames } from './name-checks.ts'

const warnedBeforeMs = 21 * 86_400_000

/** Examines an installation, running or not; changes nothing but a store of an older release, which it migrates. */
export async function examine(config: ServiceConfig): Promise<readonly Finding[]> {
  using lookup = new PublicDns({ resolvers: config.dnsResolvers, authoritativePort: 53 })
  return [
    ...(await checkStore(config)),
    ...(await checkNames(config, lookup)),
    ...(await checkAuthority(config, lookup)),
  ]
}

async function checkStore(config: ServiceConfig): Promise<Finding[]> {
  let failing: readonly string[] = []
  let ending: readonly string[] = []
  const store = await find('store', async () => {
    await using storage = await openStorage(config)
    await storage.ping()
    failing = failingSubjects(await new StoredStates(storage).all())
    ending = await endingUploads(storage)
    return storage.engine === 'sqlite' ? config.dataDir : 'PostgreSQL'
  })
  const certificates = await find('certificates', () => {
    if (failing.length === 0) return Promise.resolve('none is failing')
    return Promise.reject(new Error(failing.join('; ')))
  })
  const uploads = await find('uploaded certificates', () => {
    if (ending.length === 0) return Promise.resolve('none that is in use ends soon')
    return Promise.reject(new Error(`Upload a new one in time for ${ending.join('; ')}.`))
  })
  return [store, certificates, uploads]
}

/** Nobody renews an uploaded certificate but who uploaded it: those in use that have little time left. */
async function endingUploads({ records }: Storage): Promise<string[]> {
  const limit = new Date(Date.now() + warnedBeforeMs).toISOString()
  const ending: string[] = []
  for (const { id, accountId, body } of await records.all(tlsCertificateModel.prefix)) {
    const { issued_at, not_after, subject_alternative_names: names } = JSON.parse(body) as TlsCertificate
    if (issued_at !== null || not_after > limit || (await records.dependentsOf(id, 1)).length === 0) continue
    ending.push(`${names.dns_names.join(', ')} (${id} of ${accountId}), which ends on ${not_after.slice(0, 10)}`)
  }
  return ending
}

function failingSubjects(states: Awaited<ReturnType<StoredStates['all']>>): string[] {
  return [...states].flatMap(([id, { job }]) =>
    job?.failure ? [`${id}: ${job.failure.code}, ${job.failure.msg}`] : [],
  )
}
