import type { ExportReport } from '../model/report.ts'

/** The line of `--stamp`, such as `Copy of 2026-11-27, version 2.1`; null = none. */
export function stampLine({ stamp, version }: Pick<ExportReport, 'stamp' | 'version'>): string | null {
  return stamp === null ? null : `Copy of ${stamp}${version === null ? '' : `, version ${version}`}`
}

/**
 * Returns the style that shows a line below a page. It is no element: an app that takes over the body would remove one, or fail.
 * Screen readers read it, and it is printed. After the body, it covers nothing. In ASCII, for any encoding of the page.
 */
export function stampMarkup(line: string): string {
  const escaped = line.replace(/[^\w ,.:-]/gu, character => `\\${character.codePointAt(0)?.toString(16)} `)
  return (
    `<style data-quire-stamp="">html::after{content:"${escaped}"!important;display:block!important;position:static!important;` +
    'padding:6px 12px!important;font:12px/1.5 sans-serif!important;text-align:center!important;color:#444!important;background:#f2f2f2!important}</style>'
  )
}
