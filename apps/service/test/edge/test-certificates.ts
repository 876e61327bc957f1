import { tempDir } from '@tunnel/testkit'
import { LocalCertificates } from '../../src/certs/local-ca/local-certificates.ts'

const plainSealer = {
  seal: (plain: string) => ({ keyId: 'k', sealed: plain }),
  open: ({ sealed }: { sealed: string }) => sealed,
}

let opened: Promise<LocalCertificates> | undefined

/** The local CA for the zone `app.test`; `gone.test` is published outside it. One for all tests of a file. */
export function testCertificates(): Promise<LocalCertificates> {
  opened ??= open()
  return opened
}

async function open(): Promise<LocalCertificates> {
  await using dir = await tempDir()
  const isPublished = (name: string) => name === 'gone.test'
  return await LocalCertificates.open({
    dataDir: dir.path,
    zone: 'app.test',
    sealer: plainSealer,
    isPublished,
    now: () => new Date(),
    onDropped: () => undefined,
  })
}
