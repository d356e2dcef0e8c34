import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createUpdater } from '../../server/host/updater.ts'
import { openHostFolder } from '../../server/host/versions/host-folder.ts'
import { defaultUnpackLimits } from '../../server/unpack/unpack-limits.ts'
import { makeSite } from './make-site.ts'

/** Fills the data folder of a host with versions; the last one is current. */
export async function fillHostFolder(path: string, versions: readonly string[]): Promise<void> {
  const folder = await openHostFolder(path)
  const bundle = join(path, 'docs.zip')
  let now = 1
  const updater = createUpdater({
    folder,
    now: () => now++,
    activate: async () => {},
    log: { info() {}, warn() {} },
    settings: {
      source: { kind: 'file', path: bundle },
      label: null,
      sha256: null,
      trusted: null,
      allowDowngrade: false,
      maxBundleBytes: 1e8,
      unpackLimits: defaultUnpackLimits,
      retries: 0,
      idleTimeoutMs: 5000,
      threads: 0,
      keepVersions: versions.length,
    },
  })
  for (const version of versions) {
    writeFileSync(bundle, makeSite({ version }))
    await updater.update(new AbortController().signal)
  }
  rmSync(bundle)
}
