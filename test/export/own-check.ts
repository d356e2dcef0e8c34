import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import { checkBundle } from '../../server/export/check/check-bundle.ts'
import type { Verify } from '../../server/export/model/options.ts'
import { defaultUnpackLimits } from '../../server/unpack/unpack-limits.ts'
import { type Exported, exportFakeSite, type FakeOptions, nextFiles } from './fake-site.ts'

/**
 * Checks a bundle as `quire export --check` does, with `--verify full` all pages, in all places. An export that is done must have
 * no fault.
 *
 * @return each fault as `page place: what`.
 */
export async function listOwnFaults(
  bundle: string,
  { pageTimeoutMs = 30_000, verify = 'full' }: { pageTimeoutMs?: number; verify?: Verify } = {},
): Promise<string[]> {
  const workFolder = mkdtempSync(join(tmpdir(), 'quire-own-check-'))
  try {
    const { faults } = await checkBundle({
      ...{ bundle, workFolder, verify, allowNoSandbox: true },
      limits: { pageTimeoutMs, pageRequests: 100 },
      unpackLimits: defaultUnpackLimits,
      signal: new AbortController().signal,
    })
    return faults.map(({ page, place, what }) => `${page} ${place}: ${what}`)
  } finally {
    rmSync(workFolder, { recursive: true, force: true, maxRetries: 3 })
  }
}

/** Exports a site, and expects that the bundle passes its own check. */
export async function exportChecked(origin: URL, options: FakeOptions = {}): Promise<Exported> {
  const { outFile } = nextFiles()
  const exported = await exportFakeSite(origin, { ...options, outFile })
  expect(await listOwnFaults(outFile)).toEqual([])
  return exported
}
