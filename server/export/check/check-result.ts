import type { Manifest } from '../model/manifest.ts'
import type { PlaceName } from '../model/report.ts'

/** Something wrong with a bundle. */
export interface BundleFault {
  /** The page or file; null = the whole bundle. */
  page: string | null
  /** Where the page was opened; null = the fault was found in the file. */
  place: PlaceName | null
  /** A sentence without its subject if there is a page, such as `has no policy`; else a whole sentence. */
  what: string
}

/** The outcome of the check of one bundle. */
export interface BundleCheck {
  kind: 'zip' | 'tar.gz' | 'folder'
  /** Size and SHA-256 of the archive; null for a folder. */
  sizeBytes: number | null
  sha256: string | null
  /** From the report in the bundle; null = it cannot be read. */
  domain: string | null
  version: string | null
  /** From the manifest, with which all files were compared; null = there is none to read. */
  manifest: Pick<Manifest, 'engine' | 'newestPage'> | null
  pages: number
  files: number
  /** Pages that the browser opened in each place. */
  openedPages: string[]
  /** Why no page was opened; null = pages were. */
  unopened: string | null
  faults: BundleFault[]
  /** Sentences about what is not a fault, such as losses that the report names. */
  notes: string[]
}
