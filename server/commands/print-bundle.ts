import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { Command } from 'commander'
import { escapeControls } from '../base/escape-controls.ts'
import { describeBytes } from '../base/format-bytes.ts'
import { OperatorError } from '../base/operator-error.ts'
import { noBrowser, type PrintedFile, printBundle } from '../export/print/print-bundle.ts'
import { exportSettings } from '../flags/export-settings.ts'
import { printSettings } from '../flags/print-settings.ts'
import { runSettings } from '../flags/run-settings.ts'
import { addSettings, type FlagsOf, withoutVariables } from '../flags/setting.ts'
import { findBrowser } from '../web/browser/find-browser.ts'
import { resolveOutput } from './output-file.ts'
import { printJson, showCountOf } from './print.ts'
import { withWorkFolder } from './with-work-folder.ts'

const { workFolder, json } = exportSettings
const settings = {
  // Their variables are those of an export, which would print here what only exports should.
  ...withoutVariables(printSettings),
  allowNoSandbox: runSettings.allowNoSandbox,
  workFolder,
  json,
}

type PrintFlags = FlagsOf<typeof settings>

export function printCommand(): Command {
  const command = new Command('print')
    .description('print all pages of a bundle into one file: a PDF, or an HTML file')
    .argument('<bundle>', 'bundle to print: an archive, or the folder of one')
  return addSettings(command, settings).addHelpText('after', help).action(run)
}

const help = `
Examples:
  npx quire print docs.zip --pdf docs.pdf
  npx quire print docs/ --single-html docs.html

The pages come in the order of the site: along their links to the next page, then by the links of the start page and of the
navigation of each page, then by address. The content of each page is printed in a style for paper, without the menus and the
scripts of the site. Links between pages lead to their places in the file. An existing file is replaced.
The PDF is tagged, and has a cover with the SHA-256 of the archive, contents with page numbers, and bookmarks.`

async function run(bundle: string, flags: PrintFlags): Promise<void> {
  const found = await stat(resolve(bundle)).catch(() => null)
  if (!found?.isFile() && !found?.isDirectory())
    throw new OperatorError(
      `${bundle}: there is no such file or folder. Name a bundle, such as docs.zip, or the folder of one.`,
      2,
    )
  const files = await resolvePrinted(flags)
  if (!files) throw new OperatorError('Name a file to write: --pdf docs.pdf, or --single-html docs.html.', 2)
  const options = { bundle: resolve(bundle), sha256: null, ...files, allowNoSandbox: flags.allowNoSandbox ?? false }
  const printed = await withWorkFolder(flags.workFolder, 'The print was stopped.', (workFolder, signal) =>
    print({ ...options, workFolder, signal }),
  )
  if (flags.json) printJson({ bundle: resolve(bundle), printed })
  else for (const each of printed) console.log(describePrinted(each))
}

/** The files to print into. */
export type PrintFiles = Record<'pdf' | 'singleHtml', string | null>

/**
 * Returns the files of `--pdf` and `--single-html`; null = neither is given. Runs before the work, so that it fails early.
 *
 * @throws {OperatorError} when one cannot be written, or the browser for `--pdf` is missing.
 */
export async function resolvePrinted(flags: { pdf?: string; singleHtml?: string }): Promise<PrintFiles | null> {
  if (flags.pdf === undefined && flags.singleHtml === undefined) return null
  if (flags.pdf !== undefined && findBrowser() === null) throw new OperatorError(noBrowser(), 2)
  const resolveGiven = async (flag: string, given: string | undefined, example: string) =>
    given === undefined ? null : await resolveOutput(given, example, flag)
  const files = {
    pdf: await resolveGiven('--pdf', flags.pdf, 'docs.pdf'),
    singleHtml: await resolveGiven('--single-html', flags.singleHtml, 'docs.html'),
  }
  if (files.pdf !== null && files.pdf === files.singleHtml)
    throw new OperatorError('--pdf and --single-html name the same file. Name two files.', 2)
  return files
}

const progressEveryMs = 5000

/** Prints a bundle, and tells standard error how far it is. */
export async function print(options: Omit<Parameters<typeof printBundle>[0], 'onPage'>): Promise<PrintedFile[]> {
  let shownAt = performance.now()
  return printBundle({
    ...options,
    onPage(done, pages) {
      if (done < pages && performance.now() - shownAt < progressEveryMs) return
      shownAt = performance.now()
      process.stderr.write(`Printing: ${done} of ${pages} pages\n`)
    },
  })
}

/** `docs.pdf: 526 pages of the site on 2,310 pages, 48.1 MB` */
export function describePrinted({ file, sitePages, pdfPages, sizeBytes }: PrintedFile): string {
  const paper = pdfPages === null ? '' : ` on ${showCountOf(pdfPages, 'page')} of paper`
  return escapeControls(`${file}: ${showCountOf(sitePages, 'page')} of the site${paper}, ${describeBytes(sizeBytes)}`)
}
