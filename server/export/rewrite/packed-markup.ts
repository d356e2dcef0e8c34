import { findAttribute, type Tag } from '../../web/html/html-scan.ts'

const mark = 'data-quire-packed'

/**
 * Returns markup that loads a script on file://, before the scripts of the site. On a host, it loads nothing.
 *
 * @param script relative address of the script.
 */
export function packedMarkup(script: string): string {
  const written = `\\x3cscript src='${script}'>\\x3c/script>`
  return `<script ${mark}="">if(location.protocol==="file:")document.write("${written}")</script>`
}

/** Decides whether a tag begins that markup. */
export function isPackedMarkup(tag: Tag): boolean {
  return tag.name === 'script' && findAttribute(tag, mark) !== undefined
}
