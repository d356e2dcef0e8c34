import { rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { OperatorError } from '../../../server/base/operator-error.ts'
import type { Verify } from '../../../server/export/model/options.ts'
import { describeEnd, runMeasured } from '../export/measured-run.ts'
import { type ReplicatedSiteOptions, serveReplicated } from './replicated-site.ts'

/** Measurements of the export of one size. */
export interface SizeResult {
  pages: number
  wallSeconds: number
  cpuSeconds: number | undefined
  archiveBytes: number
  /** Peak memory of the exporting process, without its browser. */
  peakBytes: number
  /** Mean memory of the process in each tenth of its time. */
  tenthsBytes: number[]
}

const main = resolve(import.meta.dirname, '../../../server/main.ts')

/**
 * Exports a replicated site and measures time, memory and size.
 *
 * @throws {OperatorError} when the export fails or misses pages.
 */
export async function measureSize({
  verify,
  scratch,
  ...site
}: ReplicatedSiteOptions & { verify: Verify; scratch: string }): Promise<SizeResult> {
  const served = await serveReplicated(site)
  const output = join(scratch, 'out.zip')
  const logFile = join(scratch, 'export.log')
  try {
    const args = [main, 'export', served.root.href, '-o', output, '--verify', verify, '--json']
    const run = await runMeasured(process.execPath, args, { logFile, timeoutMs: 3_600_000, folder: scratch })
    if (run.exitCode !== 0) throw new OperatorError(`The export of ${site.pageCount} pages ${describeEnd(run)}.`)
    const { pageCount, sizeBytes } = JSON.parse(run.stdout)
    if (pageCount !== site.pageCount + 1)
      throw new OperatorError(`Exported ${pageCount} pages, expected ${site.pageCount + 1}.`)
    return {
      pages: pageCount,
      wallSeconds: run.wallSeconds,
      cpuSeconds: run.cpuSeconds,
      archiveBytes: sizeBytes,
      peakBytes: run.peakBytes ?? 0,
      tenthsBytes: tenths(run.heldBytes),
    }
  } finally {
    await served.close()
    await rm(output, { force: true })
  }
}

/** Returns the means of ten equal parts; fewer if there are fewer values. */
export function tenths(values: readonly number[]): number[] {
  const parts = Math.min(10, values.length)
  return Array.from({ length: parts }, (_, index) => {
    const part = values.slice(
      Math.floor((index * values.length) / parts),
      Math.floor(((index + 1) * values.length) / parts),
    )
    return part.reduce((sum, value) => sum + value, 0) / part.length
  })
}
