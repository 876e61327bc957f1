import { cpus, release, totalmem } from 'node:os'
import { runProcess } from '@tunnel/testkit'

/** What the figures were measured on, for the head of the table. Nothing that identifies the machine. */
export async function describeMachine(): Promise<string> {
  const [processor] = cpus()
  const versions = await Promise.all([
    firstLine('haproxy', ['-v'], /version ([\d.]+)/, 'HAProxy'),
    firstLine('nginx', ['-v'], /nginx\/([\d.]+)/, 'nginx'),
    firstLine('ssh', ['-V'], /OpenSSH_([\w.]+)/, 'OpenSSH'),
  ])
  const hardware = `${cpus().length} × ${processor?.model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GiB`
  return `${hardware}, Linux ${release().split('-')[0]}, Node ${process.versions.node}, ${versions.join(', ')}, all on loopback`
}

async function firstLine(command: string, args: string[], pattern: RegExp, name: string): Promise<string> {
  const printed = await runProcess(command, args)
  return `${name} ${pattern.exec(printed)?.[1] ?? 'of unknown version'}`
}
