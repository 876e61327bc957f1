import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { sshKeygen } from '@tunnel/testkit'
import { opensshPrivateKey } from '../private-key-file.ts'
import { type WorkDirectory } from '../work-directory.ts'
import { type GoldenCase, authoritySeed } from './cases.ts'

/** Lets the real `ssh-keygen` sign a case and returns the path of the `-cert.pub` file in the directory. */
export function signWithOpenSsh(golden: GoldenCase, directory: WorkDirectory): string {
  const authority = directory.write('authority', opensshPrivateKey(authoritySeed))
  copyFileSync(subjectFile(golden), join(directory.path, `${golden.name}.pub`))
  sshKeygen('-q', '-s', authority, ...golden.parameters.split(' '), join(directory.path, `${golden.name}.pub`))
  return join(directory.path, `${golden.name}-cert.pub`)
}

export function subjectFile(golden: GoldenCase): string {
  return join(import.meta.dirname, `subject-${golden.subject}.pub`)
}
