import { fromSource, startProcess, tempDir } from '@tunnel/testkit'
import type { Contender } from '../contenders/contender.ts'
import { startHaproxy } from '../contenders/haproxy.ts'
import { type OpensshContenders, startOpenssh } from '../contenders/openssh.ts'
import { type TunnelContender, startTunnel } from '../contenders/tunnel.ts'

/** Every contender, running side by side in front of one origin. */
export interface Lab extends AsyncDisposable {
  readonly direct: Contender
  readonly haproxy: Contender
  readonly openssh: OpensshContenders
  readonly tls: TunnelContender
  readonly plain: TunnelContender
}

export async function startLab(): Promise<Lab> {
  await using stack = new AsyncDisposableStack()
  const { dir, originPort } = await startOrigin(stack)
  const lab = {
    direct: { name: 'origin direct', port: originPort, host: 'origin', processes: [] },
    haproxy: await startHaproxy(stack, dir, originPort),
    openssh: await startOpenssh(stack, dir, originPort),
    tls: await startTunnel(stack, dir, originPort, 'tls'),
    plain: await startTunnel(stack, dir, originPort, 'plain'),
  }
  const owned = stack.move()
  return { ...lab, [Symbol.asyncDispose]: () => owned.disposeAsync() }
}

/** The program behind the contenders as a process of its own, and a directory for their files. */
export async function startOrigin(stack: AsyncDisposableStack): Promise<{ dir: string; originPort: number }> {
  const { path: dir } = stack.use(await tempDir())
  const { command, args } = fromSource('bench/origin.ts')
  const origin = stack.use(await startProcess(command, args))
  const [, port] = await origin.waitForOutput(/^port (\d+)$/m)
  return { dir, originPort: Number(port) }
}
