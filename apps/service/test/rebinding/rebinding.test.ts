import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { runProcess, tempDir } from '@tunnel/testkit'
import { expect, it } from 'vitest'
import { throwAwayCertificate } from '../certs/throw-away-certificate.ts'

/** A name server and addresses of our own need a network namespace. */
const canIsolate =
  process.platform === 'linux' &&
  process.getuid?.() === 0 &&
  (await runProcess('unshare', ['--net', '--mount', 'ip', 'link', 'set', 'lo', 'up']).then(
    () => true,
    () => false,
  ))

it.runIf(canIsolate)('a name whose answer changes between look-ups never leads inside', async () => {
  await using dir = await tempDir()
  const files = { key: join(dir.path, 'key.pem'), cert: join(dir.path, 'cert.pem'), resolv: join(dir.path, 'resolv') }
  const { chainPem, privateKeyPem } = await throwAwayCertificate(['turns.test', 'mixed.test', 'moves.test'])
  await Promise.all([
    writeFile(files.key, privateKeyPem),
    writeFile(files.cert, chainPem),
    writeFile(files.resolv, 'nameserver 127.0.0.1\n'),
  ])
  const commands = [
    'ip link set lo up',
    'ip address add 93.184.216.34/32 dev lo',
    `mount --bind ${files.resolv} /etc/resolv.conf`,
    `exec ${process.execPath} ${join(import.meta.dirname, 'scene.ts')}`,
  ]
  const env = { SCENE_KEY: files.key, SCENE_CERT: files.cert, NODE_EXTRA_CA_CERTS: files.cert }
  const args = ['--net', '--mount', 'sh', '-ec', commands.join('\n')]
  const output = await runProcess('unshare', args, { env, limitMs: 20_000 })
  expect(JSON.parse(output.trim().split('\n').at(-1) ?? '')).toEqual({
    // The address that was judged is the one that is connected to: nobody asks again in between.
    first: '{"keys":[]}',
    lookUps: 1,
    second: 'turns.test has an address that is not public',
    mixed: 'mixed.test has an address that is not public',
    moved: 'the key set was answered with status 302',
    backendFirst: 'outside',
    backendLookUps: 1,
    backendSecond: 'upstream_unreachable',
    insideConnections: 0,
  })
})
