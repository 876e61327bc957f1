import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { runProcess, startProcess, tempDir } from '@tunnel/testkit'
import { describe, expect, it } from 'vitest'
import { buildDeb } from '../packaging/build-deb.ts'
import { buildFacts } from '../src/build-facts.ts'
import { ReleaseFiles } from '../src/update/release-files.ts'
import { initialUpdateState } from '../src/update/update-state.ts'
import { oldestAgentNode } from './agent-nodes.ts'

it('the version of the sources is the one of the package', async () => {
  const manifest = JSON.parse(await readFile(join(import.meta.dirname, '../package.json'), 'utf8')) as {
    version: string
  }
  expect(buildFacts.version).toBe(manifest.version)
})

const hasDpkg = existsSync('/usr/bin/dpkg-deb')
const bundleMaxBytes = 1_500_000

const denyAll = { inbound: [{ expressions: ["req.method == 'GET'"], actions: [{ type: 'deny', config: {} }] }] }

async function createTunnel(apiUrl: string | undefined, body: object): Promise<number> {
  const init = { method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }
  return (await fetch(`${apiUrl}/tunnels`, init)).status
}

describe.skipIf(!hasDpkg)('the Debian package', () => {
  it('is the same byte by byte each time, small, and runs on the oldest Node', { timeout: 30_000 }, async () => {
    await using dir = await tempDir()
    const packages = [await buildDeb(join(dir.path, 'a'), buildFacts), await buildDeb(join(dir.path, 'b'), buildFacts)]
    const [first, second] = await Promise.all(
      packages.map(async (path) =>
        createHash('sha256')
          .update(await readFile(path))
          .digest('hex'),
      ),
    )
    expect(second).toBe(first)

    const root = join(dir.path, 'root')
    await runProcess('dpkg-deb', ['-x', packages[0] ?? '', root])
    const library = join(root, 'usr/lib/tunnel-agent')
    const sizes = await Promise.all(['agent.mjs', 'launcher.mjs'].map((name) => stat(join(library, name))))
    expect(sizes.reduce((sum, { size }) => sum + size, 0)).toBeLessThan(bundleMaxBytes)
    const env = {
      AGENT_STATE_DIR: join(dir.path, 'state'),
      AGENT_API_LISTEN: '127.0.0.1:0',
      SERVICE_AUTHTOKEN: 'cr_x_y',
      SERVICE_CONNECT_URL: 'ws://127.0.0.1:1',
    }
    const agent = await startProcess(oldestAgentNode.path, [join(library, 'launcher.mjs'), 'run'], { env })
    const [, apiUrl] = await agent.waitForOutput(/listening local-api (\S+)\nready/)
    expect(await createTunnel(apiUrl, { forwards_to: '8001', domain: 'device.example.com', policy: denyAll })).toBe(200)
    expect(await createTunnel(apiUrl, { forwards_to: '' })).toBe(400)
    expect((await fetch(`${apiUrl}/metrics`)).status).toBe(200)
    expect(await agent.stop()).toEqual({ code: 0, signal: null })
  })

  it('runs nothing by hand that the agent itself could have written, and writes nothing', async () => {
    await using dir = await tempDir()
    const root = join(dir.path, 'root')
    await runProcess('dpkg-deb', ['-x', await buildDeb(dir.path, buildFacts), root])
    const stateDir = join(dir.path, 'state')
    const code = `throw new Error('planted code runs')`
    const sha256 = createHash('sha256').update(code).digest('hex')
    const release = { version: '99.0.0', sha256 }
    await mkdir(join(stateDir, 'releases'), { recursive: true })
    await writeFile(new ReleaseFiles(stateDir).bundlePath(release), code)
    const state = { ...initialUpdateState, current: release }
    await writeFile(join(stateDir, 'update.json'), JSON.stringify(state))
    const launcher = join(root, 'usr/lib/tunnel-agent/launcher.mjs')
    const env = { AGENT_STATE_DIR: stateDir }
    expect(await runProcess(process.execPath, [launcher, 'version'], { env })).toContain(`agent ${buildFacts.version}`)
    expect(await readdir(stateDir)).toEqual(['releases', 'update.json'])
  })

  it('has a unit that systemd understands', async () => {
    const unit = join(import.meta.dirname, '../packaging/debian/tunnel-agent.service')
    const text = await readFile(unit, 'utf8')
    expect(text).toContain('RestartPreventExitStatus=64')
    if (existsSync('/usr/bin/systemd-analyze'))
      await runProcess('systemd-analyze', ['security', '--offline=true', '--threshold=30', unit])
  })
})
