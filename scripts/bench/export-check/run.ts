import { loadavg } from 'node:os'
import { join, resolve } from 'node:path'
import { describeEnd, runMeasured } from '../export/measured-run.ts'
import type { MeasuredExport } from './report.ts'

const program = resolve(import.meta.dirname, '../../../server/main.ts')
const timeoutMs = 600_000

interface ExportRun {
  verify: MeasuredExport['verify']
  url: string
  /** See `BenchSite`. */
  domain: string | undefined
  scratch: string
}

/** Exports a site once in a new process. */
export async function measureExport({ verify, url, domain, scratch }: ExportRun): Promise<MeasuredExport> {
  const from = domain === undefined ? [url] : [domain, '--origin', url]
  const args = [program, 'export', ...from, '-o', join(scratch, 'bundle.zip'), '--json', '--verify', verify]
  const loadBefore = loadavg()[0] ?? 0
  const logFile = join(scratch, 'export.log')
  const run = await runMeasured(process.execPath, args, { logFile, timeoutMs, folder: scratch })
  if (run.exitCode !== 0) throw new Error(`The export of ${url} with --verify ${verify} ${describeEnd(run)}.`)
  const { pageCount, report } = JSON.parse(run.stdout) as {
    pageCount: number
    report: { scripts: { checkedPages: string[] } }
  }
  const { wallSeconds, cpuSeconds = 0 } = run
  return { verify, wallSeconds, cpuSeconds, loadBefore, pages: pageCount, opened: report.scripts.checkedPages.length }
}
