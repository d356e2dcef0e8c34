import { escapeHtml } from '../docs/escape-html.ts'
import type {
  BundleDiff,
  ChangedPage,
  ComparedBundle,
  NamedPage,
  TextChange,
} from '../export/compare/compare-bundles.ts'
import { type ListPart, listChanges } from '../export/compare/list-changes.ts'

// Marks are told apart without colors too: in print, and by readers who do not see them. Screen readers read the content of
// the pseudo-elements, which is clipped.
const style = `:root { color-scheme: light dark; --line: light-dark(#ccc, #555); --quiet: light-dark(#595959, #adadad);
  --added: light-dark(#d7f5dd, #0f4620); --removed: light-dark(#fde0e0, #5c1a1f) }
body { font: 1rem/1.55 system-ui, sans-serif; max-width: 56rem; margin: 2rem auto; padding: 0 1rem; overflow-wrap: break-word }
h1, h2, h3 { line-height: 1.25 } h2 { margin-top: 2.5rem } h3 { margin: 2rem 0 .25rem }
table { border-collapse: collapse; width: 100% }
th, td { text-align: left; vertical-align: top; padding: .3rem .75rem .3rem 0; border-bottom: 1px solid var(--line) }
ins { background: var(--added); text-decoration: underline 2px; text-underline-offset: .15em }
del { background: var(--removed); text-decoration: line-through }
ins::before, del::before, ins::after, del::after { clip-path: inset(100%); position: absolute; width: 1px; height: 1px; overflow: hidden; white-space: nowrap }
ins::before { content: ' [added: ' } del::before { content: ' [removed: ' } ins::after, del::after { content: '] ' }
.change { border-left: .25rem solid var(--line); padding: .1rem 0 .1rem 1rem; margin: 1rem 0 }
.change p { margin: .35rem 0 } .quiet, .path { color: var(--quiet) } .path { margin: 0; font-size: .9rem }
code { font-size: .85em; overflow-wrap: anywhere } del + ins { margin-left: .2em }
@media print { body { max-width: none; margin: 0; font-size: 10.5pt } nav { display: none }
  .change { break-inside: avoid } h2, h3, h4 { break-after: avoid } ins, del { print-color-adjust: exact } a { color: inherit } }
`

/** Writes the changes as one page for readers. It loads no files and runs no scripts. */
export function writeDiffPage(diff: BundleDiff): string {
  const { before, after, added, removed, moved, changed, unchanged } = diff
  const title = `Changes of ${after.domain ?? before.domain ?? after.name}`
  const counts: [string, string | null, number][] = [
    ['Changed pages', 'changed', changed.length],
    ['Added pages', 'added', added.length],
    ['Removed pages', 'removed', removed.length],
    ['Moved pages', 'moved', moved.length],
    ['Unchanged pages', null, unchanged],
  ]
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="data:,">
<style>
${style}</style>
</head>
<body>
<main>
<h1>${escapeHtml(title)}</h1>
<table>
<tr><th scope="col">Bundle</th><th scope="col">Name</th><th scope="col">Version</th><th scope="col">SHA-256</th></tr>
${writeBundle('Before', before)}
${writeBundle('After', after)}
</table>
<p>The text of the main content of all pages was compared. Marks: <del>removed</del> <ins>added</ins>.</p>
<table>
<tr><th scope="col">What</th><th scope="col">Pages</th></tr>
${counts.map(([name, id, count]) => `<tr><th scope="row">${id !== null && count > 0 ? `<a href="#${id}">${name}</a>` : name}</th><td>${count}</td></tr>`).join('\n')}
</table>
${writeChanged(changed)}${writeList('added', 'Added pages', added)}${writeList('removed', 'Removed pages', removed)}${writeMoved(moved)}</main>
</body>
</html>
`
}

function writeBundle(side: string, { name, version, sha256 }: ComparedBundle): string {
  const cells = [
    escapeHtml(name),
    escapeHtml(version ?? 'none given'),
    sha256 === null ? 'a folder' : `<code>${sha256}</code>`,
  ]
  return `<tr><th scope="row">${side}</th>${cells.map(cell => `<td>${cell}</td>`).join('')}</tr>`
}

function writeChanged(changed: readonly ChangedPage[]): string {
  if (changed.length === 0) return ''
  const links = changed.map(
    ({ name, page }, index) => `<li><a href="#page-${index}">${escapeHtml(name || page)}</a></li>`,
  )
  const pages = changed.map(
    ({ page, name, changes }, index) =>
      `<h3 id="page-${index}">${escapeHtml(name || page)}</h3>\n<p class="path">${escapeHtml(page)}</p>\n${changes.map(change => writeChange(change, name)).join('\n')}\n`,
  )
  return `<h2 id="changed">Changed pages</h2>
<nav aria-label="Changed pages"><ul>
${links.join('\n')}
</ul></nav>
${pages.join('')}`
}

function writeChange({ section, after, removed, added }: TextChange, page: string): string {
  const heading = section === '' || section === page ? '' : `<h4 class="quiet">${escapeHtml(section)}</h4>\n`
  const context = after === null ? '' : `<p class="quiet">${escapeHtml(after)}</p>\n`
  const rows = Math.max(removed.length, added.length)
  const texts = Array.from({ length: rows }, (_, index) => writeSentences(removed[index], added[index]))
  return `<div class="change">\n${heading}${context}${texts.join('\n')}\n</div>`
}

/** Below this share of equal characters of the shorter one, two sentences are not versions of each other. */
const minShare = 0.6

function writeSentences(removed: string | undefined, added: string | undefined): string {
  const whole = (tag: 'del' | 'ins', text: string | undefined) =>
    text === undefined ? '' : `<p><${tag}>${escapeHtml(text)}</${tag}></p>`
  if (removed === undefined || added === undefined) return whole('del', removed) + whole('ins', added)
  const parts = listChanges(splitWords(removed), splitWords(added))
  const lengthOf = (kind: ListPart<string>['kind']) =>
    parts.filter(part => part.kind === kind).reduce((length, { items }) => length + items.join('').length, 0)
  if (lengthOf('same') < Math.min(removed.length, added.length) * minShare)
    return whole('del', removed) + whole('ins', added)
  return `<p>${parts.map(writeWords).join('')}</p>`
}

function writeWords({ kind, items }: ListPart<string>): string {
  const text = escapeHtml(items.join(''))
  return kind === 'same' ? text : kind === 'removed' ? `<del>${text}</del>` : `<ins>${text}</ins>`
}

const words = new Intl.Segmenter('en', { granularity: 'word' })

function splitWords(text: string): string[] {
  return [...words.segment(text)].map(({ segment }) => segment)
}

function writeList(id: string, title: string, pages: readonly NamedPage[]): string {
  if (pages.length === 0) return ''
  const items = pages.map(
    ({ page, name }) => `<li>${escapeHtml(name)} <span class="path">${escapeHtml(page)}</span></li>`,
  )
  return `<h2 id="${id}">${title}</h2>\n<ul>\n${items.join('\n')}\n</ul>\n`
}

function writeMoved(moved: BundleDiff['moved']): string {
  if (moved.length === 0) return ''
  const rows = moved.map(
    row => `<tr>${[row.name, row.from, row.to].map(cell => `<td>${escapeHtml(cell)}</td>`).join('')}</tr>`,
  )
  return `<h2 id="moved">Moved pages</h2>
<p>Their text is the same.</p>
<table>
<tr><th scope="col">Page</th><th scope="col">From</th><th scope="col">To</th></tr>
${rows.join('\n')}
</table>
`
}
