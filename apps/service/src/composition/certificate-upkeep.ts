import { createPrivateKey, generateKeyPairSync } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Logger } from 'pino'
import type { CertificateVault } from './certificate-vault.ts'
import { AcmeConnection } from '../certs/acme/acme-connection.ts'
import { DnsChallenges } from '../certs/challenges/dns-challenges.ts'
import type { Proofs } from '../certs/challenges/proofs.ts'
import type { CertificateStates } from '../certs/provisioning/provisioner.ts'
import { Provisioning } from '../certs/provisioning/provisioning.ts'
import type { Peers } from '../cluster/peers.ts'
import type { AcmeConfig, ServiceConfig } from '../config.ts'
import { peerTopics } from './peer-topics.ts'
import { PublicDns } from '../dns/public-dns.ts'
import type { PublishedNames } from './published-names.ts'
import type { Storage } from '../storage/open-storage.ts'

export interface CertificateUpkeepDeps {
  readonly config: Pick<ServiceConfig, 'acme' | 'dnsResolvers'>
  readonly log: Logger
  readonly storage: Storage
  readonly states: CertificateStates
  readonly published: PublishedNames
  readonly vault: CertificateVault
  readonly proofs: Proofs
  readonly peers: Peers
}

export interface CertificateUpkeep extends AsyncDisposable {
  /** A subject was created, changed or deleted: look at it now. */
  notice(subjectId: string): void
}

/** The TTL of challenge records is one second; resolvers count in whole seconds. */
const challengeSettleMs = 1_300

/** Looks after all certificates: the work of one process among those that share the store. The others hear what comes of it. */
export async function startCertificateUpkeep(deps: CertificateUpkeepDeps): Promise<CertificateUpkeep> {
  const { config, log, storage, states, published, vault, proofs, peers } = deps
  // Of a process that led before and died.
  proofs.clear()
  const dnsChallenges = new DnsChallenges({ records: proofs, settleMs: challengeSettleMs, nowMs: Date.now })
  const acme = connectToAuthority(config.acme, storage)
  const lookup = new PublicDns({ resolvers: config.dnsResolvers, authoritativePort: 53 })
  const provisioning = await Provisioning.start({
    subjects: {
      find: (id) => published.find(id),
      confirmed: async (id) => {
        await published.confirmed(id)
        peers.tell(peerTopics.subjectConfirmed, id)
      },
    },
    subjectIds: () => published.load(),
    states,
    certificates: {
      store: (id, certificate) => vault.store(id, certificate),
      // The others may still be about to make a context of it.
      discard: async (id) => {
        await peers.settle()
        await vault.discard(id)
      },
    },
    lookup,
    authority: acme,
    presenterFor: (proof) =>
      proof.type === 'http-01' ? proofs.answers.presenter : dnsChallenges.presenter(proof.recordOf),
    nowMs: Date.now,
    random: Math.random,
    onState: (id, state) => {
      published.onState(id, state)
      peers.tell(peerTopics.subjectState, id)
    },
    onFailure: (subject, error) => log.warn({ subject, err: error }, 'a certificate could not be obtained'),
  })
  return {
    notice: (id) => provisioning.notice(id),
    [Symbol.asyncDispose]: () => stopInOrder(provisioning, acme, lookup),
  }
}

/** Runs are told first, then their requests are cut off: so none of them takes the end for a failure. */
async function stopInOrder(provisioning: AsyncDisposable, acme: AsyncDisposable, lookup: Disposable): Promise<void> {
  const stopped = provisioning[Symbol.asyncDispose]()
  lookup[Symbol.dispose]()
  await acme[Symbol.asyncDispose]()
  await stopped
}

function connectToAuthority(acme: AcmeConfig, { values }: Storage): AcmeConnection {
  const { directory, caFile, email, profile, eabKeyId, eabKeyFile } = acme
  const hasBinding = eabKeyId !== null && eabKeyFile !== null
  return new AcmeConnection({
    directoryUrl: directory,
    caPem: caFile === null ? null : readFileSync(caFile, 'utf8'),
    email,
    profile,
    externalAccount: hasBinding ? { keyId: eabKeyId, hmacKey: readHmacKey(eabKeyFile) } : null,
    accountKey: async () => createPrivateKey(await values.readOrCreate(`acme-account ${directory}`, newAccountKeyPem)),
    nowMs: Date.now,
  })
}

/** Authorities hand the key out as base64url text. */
function readHmacKey(file: string): Buffer {
  return Buffer.from(readFileSync(file, 'utf8').trim(), 'base64url')
}

function newAccountKeyPem(): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
}
