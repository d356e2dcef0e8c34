import childProcess from 'node:child_process'
import { syncBuiltinESMExports } from 'node:module'

/** The setup file of the unit project: makes tests fail that start a program, in case test/projects.ts missed their import. */
for (const name of ['spawn', 'spawnSync', 'exec', 'execSync', 'execFile', 'execFileSync', 'fork'] as const) {
  Object.assign(childProcess, {
    [name](program: string) {
      throw new Error(
        `A unit test may not start a program (${program}). Let its file import from node:child_process: test/projects.ts then puts it into the project app.`,
      )
    },
  })
}
syncBuiltinESMExports()
