import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { readFile, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { OperatorError } from '../../base/operator-error.ts'
import { unpackArchive } from '../../unpack/unpack-archive.ts'
import { defaultUnpackLimits } from '../../unpack/unpack-limits.ts'
import { findBrowser, installCommand } from '../../web/browser/find-browser.ts'
import { openPdfPrinter } from '../../web/browser/pdf-printer.ts'
import { readReport } from '../check/bundle-files.ts'
import { measure } from '../check/check-bundle.ts'
import { openOneFile } from './one-file.ts'
import { printPdf } from './print-pdf.ts'
import { writeSingleHtml } from './single-html.ts'

interface PrintOptions {
  /** A zip, a tar.gz or a folder with the files of a bundle. Nothing in it is changed. */
  bundle: string
  /** Of the archive, if the caller knows it; null = it is computed, unless the bundle is a folder. */
  sha256: string | null
  /** Files to write, as absolute paths; null = not wanted. */
  pdf: string | null
  singleHtml: string | null
  /** An existing folder for the files of an archive and the profile of the browser. The caller removes it. */
  workFolder: string
  allowNoSandbox: boolean
  onPage(done: number, pages: number): void
  signal: AbortSignal
}

/** A written file. */
export interface PrintedFile {
  file: string
  sizeBytes: number
  /** Pages of the site, and of the PDF; null for HTML. */
  sitePages: number
  pdfPages: number | null
}

/**
 * Prints a bundle: all its pages as one PDF, as one HTML file, or both.
 *
 * @throws {OperatorError} when the bundle has no pages, or a file cannot be made from it.
 */
export async function printBundle(options: PrintOptions): Promise<PrintedFile[]> {
  const { bundle, workFolder, signal } = options
  const isFolder = (await stat(bundle)).isDirectory()
  const folder = isFolder ? bundle : join(workFolder, 'printed')
  if (!isFolder) await unpackArchive({ file: bundle, folder, limits: defaultUnpackLimits, signal })
  const report = await readReport(folder)
  if (typeof report === 'string') throw new OperatorError(`${bundle} is not a bundle of quire export. ${report}`)
  const file = await openOneFile(folder, signal)
  if (file.pages.length === 0) throw new OperatorError('The bundle has no pages to print.')
  const sha256 = options.sha256 ?? (isFolder ? null : (await measure(bundle)).sha256)
  const cover = {
    site: report.domain,
    version: report.version,
    date: report.stamp ?? (await findNewestDay(folder)),
    sha256,
  }
  const printed: PrintedFile[] = []
  const writing = { folder, file, cover, signal }
  const count = { sitePages: file.pages.length }
  const { pdf, singleHtml } = options
  if (singleHtml !== null) {
    const done = await writeFile(singleHtml, output => writeSingleHtml({ ...writing, output }))
    printed.push({ file: singleHtml, ...count, pdfPages: null, sizeBytes: done.sizeBytes })
  }
  if (pdf !== null) {
    const { result, sizeBytes } = await writeFile(pdf, output => printWith(options, { ...writing, output }))
    printed.push({ file: pdf, ...count, pdfPages: result, sizeBytes })
  }
  return printed
}

/** Returns the date of the newest page from the manifest of the bundle, if it has one that says so. */
async function findNewestDay(folder: string): Promise<string | null> {
  try {
    const { newestPage } = JSON.parse(await readFile(join(folder, 'quire-manifest.json'), 'utf8'))
    return typeof newestPage === 'string' ? newestPage : null
  } catch {
    return null
  }
}

type PdfWriting = Omit<Parameters<typeof printPdf>[0], 'printer' | 'onPage'>

async function printWith(options: PrintOptions, writing: PdfWriting): Promise<number> {
  const { workFolder, allowNoSandbox, onPage, signal } = options
  const executablePath = findBrowser()
  if (executablePath === null) throw new OperatorError(noBrowser())
  const printer = await openPdfPrinter({
    executablePath,
    profileFolder: join(workFolder, 'printer'),
    allowNoSandbox,
    signal,
  })
  try {
    return await printPdf({ ...writing, printer, onPage: done => onPage(done, writing.file.pages.length) })
  } finally {
    await printer.close()
  }
}

/** Says what --pdf needs. A command says so before it begins. */
export function noBrowser(): string {
  return `--pdf needs a Chromium, and none was found. To install one: ${installCommand()}. --single-html needs none.`
}

/** Writes a file that appears under its name when it is complete. */
async function writeFile<T>(file: string, write: (output: (bytes: Buffer) => Promise<void>) => Promise<T>) {
  const part = `${file}.part`
  // A killed run may have left one.
  await rm(part, { force: true })
  const stream = createWriteStream(part, { flags: 'wx', highWaterMark: 1024 ** 2 })
  await once(stream, 'open')
  try {
    const result = await write(async bytes => {
      if (!stream.write(bytes)) await once(stream, 'drain')
    })
    stream.end()
    await once(stream, 'close')
    await rename(part, file)
    return { result, sizeBytes: stream.bytesWritten }
  } catch (error) {
    stream.destroy()
    await rm(part, { force: true })
    throw error
  }
}
