import { startQuire } from '../support/process.ts'
import type { ProgramOptions, RunningProgram } from '../support/program.ts'

export interface HostProcess extends RunningProgram {
  url: string
}

/** Starts `quire host ARGS` on a free port, and waits until it listens. It stops listening as soon as it is told to stop. */
export async function startHost(args: readonly string[], options: ProgramOptions = {}): Promise<HostProcess> {
  const program = startQuire(['host', '--port', '0', '--drain-seconds', '0', ...args], options)
  const url = await program.read(output => /"url":"([^"]+)"/.exec(output)?.[1])
  return Object.assign(program, { url })
}
