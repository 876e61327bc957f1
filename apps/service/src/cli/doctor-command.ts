import { examine } from '../doctor/doctor.ts'
import { type Command, printResult } from './command.ts'

/** The examination found something to correct; its lines are printed. */
export class ExaminationFailed extends Error {
  override readonly name = 'ExaminationFailed'
}

export const doctor: Command = {
  name: ['doctor'],
  usage: 'doctor [--json]',
  options: { json: { type: 'boolean' } },
  positionals: 0,
  async run(input) {
    const findings = await examine(input.settings)
    const lines = findings.map(({ check, state, text }) => `${state.padEnd(7)} ${check}: ${text}`)
    printResult(input, { findings }, lines)
    const failed = findings.filter(({ state }) => state === 'failed').length
    if (failed > 0) throw new ExaminationFailed(`${failed} of ${findings.length} checks failed`)
  },
}
