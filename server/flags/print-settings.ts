import { InvalidArgumentError } from 'commander'
import { nonEmpty, type Settings } from './setting.ts'

/** Settings of the commands that print a bundle. */
export const printSettings = {
  pdf: {
    flag: '--pdf <file>',
    env: 'QUIRE_EXPORT_PDF',
    what: 'print all pages into this PDF, with contents, links and bookmarks; needs Chromium',
    read: nonEmpty('a file, such as docs.pdf'),
  },
  singleHtml: {
    flag: '--single-html <file>',
    env: 'QUIRE_EXPORT_SINGLE_HTML',
    what: 'write all pages and their pictures into this HTML file, of up to 100 MB',
    read: nonEmpty('a file, such as docs.html'),
  },
} as const satisfies Settings

/** Reads the date of `--stamp`. */
export function readStamp(text: string): string {
  const date = text === 'today' ? new Date().toISOString().slice(0, 10) : text
  const time = /^\d{4}-\d\d-\d\d$/.test(date) ? Date.parse(date) : Number.NaN
  if (Number.isNaN(time) || new Date(time).toISOString().slice(0, 10) !== date)
    throw new InvalidArgumentError('It must be a date, such as 2026-11-27, or today.')
  return date
}
