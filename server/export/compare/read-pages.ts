import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { digest } from '../../base/digest.ts'
import { readRawText } from '../../web/html/text-encoding.ts'
import { isPageFile, isSitePage, listFiles } from '../check/bundle-files.ts'
import { readPageSections } from '../search/page-sections.ts'

/** A heading or a sentence of the main content of a page. */
export interface Sentence {
  text: string
  isHeading: boolean
  /** Fragment of the section's address; '' = the top of the page. */
  anchor: string
}

/** A page that is compared. */
export interface ReadPage {
  /** The main heading, or else the title. */
  name: string
  sentences: Sentence[]
}

/** The pages of an unpacked bundle, by their paths. Their texts are read when they are needed. */
export interface BundlePages {
  /** What the paths in the bundle begin with, and those here do not. */
  root: string
  digests: ReadonlyMap<string, string>
  read(path: string): Promise<ReadPage>
}

/** Finds the pages of a site in an unpacked bundle: neither the report, nor redirects. */
export async function openPages(folder: string, signal: AbortSignal): Promise<BundlePages> {
  const digests = new Map<string, string>()
  for (const path of (await listFiles(folder)).paths) {
    signal.throwIfAborted()
    if (!isPageFile(path)) continue
    const bytes = await readFile(join(folder, path))
    if (isSitePage(path, bytes.toString('latin1'))) digests.set(path, digest(bytes))
  }
  return { root: '', digests, read: async path => readPage(await readFile(join(folder, path))) }
}

function readPage(bytes: Buffer): ReadPage {
  const { name, language, sections } = readPageSections(readRawText(bytes, null), true)
  const segmenter = openSegmenter(language)
  const sentences = sections.flatMap(({ anchor, heading, text }) => [
    ...(heading === '' ? [] : [{ text: heading, isHeading: true, anchor }]),
    ...text
      .split('\n')
      .flatMap(block => [...segmenter.segment(block)].map(({ segment }) => segment.trim()))
      .filter(sentence => sentence !== '')
      .map(sentence => ({ text: sentence, isHeading: false, anchor })),
  ])
  return { name, sentences }
}

const segmenters = new Map<string, Intl.Segmenter>()

function openSegmenter(language: string): Intl.Segmenter {
  const known = segmenters.get(language)
  if (known) return known
  // The language of a page may be invalid.
  const locale = /^[a-z]{2,3}$/.test(language) ? language : 'en'
  const opened = new Intl.Segmenter(locale, { granularity: 'sentence' })
  segmenters.set(language, opened)
  return opened
}
