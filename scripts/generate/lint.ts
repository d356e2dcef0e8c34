import { OperatorError } from '../../server/base/operator-error.ts'
import { runRedocly } from './redocly.ts'

/** A problem in the format of Code Climate, as Redocly writes it. */
interface Problem {
  description: string
  location: { path: string; lines: { begin: number } }
  /** The rule, a hyphen and the JSON pointer. */
  fingerprint: string
}

/**
 * Checks a file of spec/ and the files that it names by spec/rules.yaml.
 *
 * @param root the top folder of the repository
 * @param file below `root`
 * @throws {OperatorError} with the file, line and rule of each problem
 */
export async function lintSpec(root: string, file: string): Promise<void> {
  const lines = await listProblems(root, file)
  if (lines.length === 0) return
  throw new OperatorError(`${lines.join('\n')}\nNothing was written. Correct spec/ and run npm run generate again.`)
}

/**
 * Lists the problems of a file of spec/ and of the files that it names, with file, line and rule: one line each.
 *
 * @throws {Error} with the output of Redocly if it fails without a problem
 */
export async function listProblems(root: string, file: string): Promise<string[]> {
  const args = ['lint', file, '--config', 'spec/rules.yaml', '--format', 'codeclimate']
  const { stdout, stderr, hasFailed } = await runRedocly(args, root)
  const problems = readProblems(stdout)
  if (hasFailed && problems.length === 0) throw new Error(`Redocly could not lint ${file}:\n${stderr}`)
  return problems.map(describeProblem)
}

function readProblems(stdout: string): Problem[] {
  // Redocly writes nothing when there is no problem.
  return stdout.trim().startsWith('[') ? (JSON.parse(stdout) as Problem[]) : []
}

/** Writes a problem as `spec/parameters.yaml:12: ...`, which editors and terminals turn into a link. */
function describeProblem({ description, location, fingerprint }: Problem): string {
  // A file that cannot be parsed has no pointer.
  const rule = fingerprint.replace(/-(#\/.*|undefined)$/, '')
  return `${location.path}:${location.lines.begin}: ${description.replaceAll(/\s+/g, ' ')} (${rule})`
}
