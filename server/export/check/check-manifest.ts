import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { digestFiles, type Manifest, manifestFormat, manifestName } from '../model/manifest.ts'
import type { BundleCheck } from './check-result.ts'

/** Compares the files of an unpacked bundle with its manifest: none may be missing, changed or added. */
export async function checkManifest(
  folder: string,
  paths: readonly string[],
  signal: AbortSignal,
): Promise<Pick<BundleCheck, 'manifest' | 'faults' | 'notes'>> {
  const others = paths.filter(path => path !== manifestName)
  if (others.length === paths.length) {
    const note = `The bundle has no ${manifestName}, so whether its files were changed was not checked.`
    return { manifest: null, faults: [], notes: [note] }
  }
  const manifest = readManifest(await readFile(join(folder, manifestName), 'utf8'))
  const fault = (page: string | null, what: string) => ({ page, place: null, what })
  if (!manifest) return { manifest: null, faults: [fault(null, `${manifestName} cannot be read.`)], notes: [] }
  const { engine, newestPage, files } = manifest
  const listed = new Map(Object.entries(files))
  const found = await digestFiles(folder, others, { signal })
  const faults = found.flatMap(([path, { sha256, sizeBytes }]) => {
    const wanted = listed.get(path)
    listed.delete(path)
    if (!wanted) return [fault(path, `is not in ${manifestName}`)]
    const isSame = wanted.sha256 === sha256 && wanted.sizeBytes === sizeBytes
    return isSame ? [] : [fault(path, `was changed: it is not the file of ${manifestName}`)]
  })
  faults.push(...[...listed.keys()].map(path => fault(path, `is missing, and ${manifestName} lists it`)))
  return { manifest: { engine, newestPage }, faults, notes: [] }
}

/** @return null = it is not a manifest that this Quire knows. */
function readManifest(text: string): Manifest | null {
  try {
    const manifest: Manifest | null = JSON.parse(text)
    const isKnown = manifest?.format === manifestFormat && typeof manifest.files === 'object'
    return isKnown && Object.values(manifest.files).every(file => typeof file?.sha256 === 'string') ? manifest : null
  } catch {
    return null
  }
}
