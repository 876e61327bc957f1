// Writes the golden files anew: `npm run golden` in this package. Public keys are made once and then kept.
import { copyFileSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { sshKeygen } from '@tunnel/testkit'
import { workDirectory } from '../work-directory.ts'
import { goldenCases } from './cases.ts'
import { signWithOpenSsh, subjectFile } from './sign-with-openssh.ts'

await using directory = await workDirectory()
for (const golden of goldenCases) {
  if (!existsSync(subjectFile(golden))) makeSubject(golden.subject, subjectFile(golden))
  copyFileSync(signWithOpenSsh(golden, directory), join(import.meta.dirname, `${golden.name}-cert.pub`))
}

function makeSubject(subject: string, file: string): void {
  const [type = '', bits] = subject.split('-')
  const key = join(directory.path, subject)
  sshKeygen('-q', '-t', type, ...(bits ? ['-b', bits] : []), '-N', '', '-C', `golden ${subject}`, '-f', key)
  copyFileSync(`${key}.pub`, file)
}
