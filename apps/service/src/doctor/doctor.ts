import { StoredStates } from '../certs/provisioning/stored-states.ts'
import type { ServiceConfig } from '../config.ts'
import { PublicDns } from '../dns/public-dns.ts'
import { openStorage } from '../storage/open-storage.ts'
import { checkAuthority } from './authority-checks.ts'
import { type Finding, find } from './finding.ts'
import { checkNames } from './name-checks.ts'

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
  const store = await find('store', async () => {
    await using storage = await openStorage(config)
    await storage.ping()
    failing = failingSubjects(await new StoredStates(storage).all())
    return storage.engine === 'sqlite' ? config.dataDir : 'PostgreSQL'
  })
  const certificates = await find('certificates', () => {
    if (failing.length === 0) return Promise.resolve('none is failing')
    return Promise.reject(new Error(failing.join('; ')))
  })
  return [store, certificates]
}

function failingSubjects(states: Awaited<ReturnType<StoredStates['all']>>): string[] {
  return [...states].flatMap(([id, { job }]) =>
    job?.failure ? [`${id}: ${job.failure.code}, ${job.failure.msg}`] : [],
  )
}
