import { existsSync } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { OperatorError } from '../../../server/base/operator-error.ts'
import { runMeasured } from '../export/measured-run.ts'
import { runTool } from '../export/run-tool.ts'
import { explainEnd, type ImportFigures, toImportFigures } from './import-figures.ts'

/**
 * Installs Debian's GoAccess if it is missing.
 *
 * @throws {OperatorError} when it must be installed by hand.
 */
export async function installGoAccess(scratch: string): Promise<void> {
  if (isInstalled()) return
  if (process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')) {
    console.error('Installing GoAccess (apt-get) ...')
    const options = { folder: scratch, log: 'apt-get.log', env: { DEBIAN_FRONTEND: 'noninteractive' } }
    // The package lists of a fresh image are missing or old. If the update fails, the installation reports the error.
    await runTool('apt-get', ['update', '-qq'], options).catch(() => {})
    await runTool('apt-get', ['install', '-y', '-qq', '--no-install-recommends', 'goaccess'], options).catch(() => {})
  }
  if (isInstalled()) return
  throw new OperatorError(
    'GoAccess is not installed. Install it (Debian: apt-get install goaccess), or leave it out with --peer duckdb.',
  )
}

function isInstalled(): boolean {
  return (process.env.PATH ?? '').split(delimiter).some(folder => existsSync(join(folder, 'goaccess')))
}

/** Runs GoAccess on a log with a JSON report, with default settings and without GeoIP. */
export async function measureGoAccess(log: string, lines: number, scratch: string): Promise<ImportFigures> {
  const output = join(scratch, 'goaccess.json')
  const args = [log, '--log-format=COMBINED', '--no-global-config', '--no-progress', '-o', output]
  const logFile = join(scratch, 'goaccess.log')
  const run = await runMeasured('goaccess', args, { logFile, timeoutMs: 24 * 3_600_000, folder: scratch })
  if (run.exitCode !== 0) throw await explainEnd('goaccess', run, logFile)
  // GoAccess would look fast if it skipped lines.
  const { general } = JSON.parse(await readFile(output, 'utf8'))
  await rm(output)
  const read = general.valid_requests + general.failed_requests
  if (read < lines * 0.99) throw new OperatorError(`GoAccess read ${read} of ${lines} lines.`)
  return toImportFigures(run, lines)
}
