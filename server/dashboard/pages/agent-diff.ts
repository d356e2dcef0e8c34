import type { AgentRun, ChangedFile, RunChange } from '../../agent/agent-run.ts'
import { shorten } from '../../base/shorten.ts'
import { toForeignText } from '../parts/foreign-text.ts'
import { type Fragment, html, type Markup } from '../parts/html.ts'
import { agentRunTexts as texts } from '../texts/agent-runs.ts'

/** What a reader still reads on a page. */
const maxLines = 500
const maxFiles = 50
/** A line of a generated file can have megabytes. */
const maxLineCharacters = 1000

/** Shows what an agent changed: the files with their lines. Lines keep their + and -, because colours alone say nothing to some. */
export function showChange({ branch, changeBranch }: AgentRun, { files, diff, isDiffCut }: RunChange): Markup {
  const lines = diff.split('\n')
  if (lines.at(-1) === '') lines.pop()
  const parts = splitFiles(lines.slice(0, maxLines))
  const command = changeBranch !== null && html`<br><code>${texts.diffCommand(branch, changeBranch)}</code>`
  const isCutHere = lines.length > maxLines
  const rest = files.length - maxFiles
  return html`<h2>${texts.changeTitle}</h2>
${isCutHere && html`<p class="notice">${texts.cutHere(maxLines)}${command}</p>`}${!isCutHere && isDiffCut && html`<p class="notice">${texts.cutBefore}${command}</p>`}
${files.slice(0, maxFiles).map((file, at) => showFile(file, parts[at] ?? []))}
${rest > 0 && html`<p>${texts.moreFiles(rest)}</p>`}`
}

/** Says where a change is that was deleted here by its age. A run without one has nothing to say. */
export function showExpiredChange({ branch, changeBranch, files, expiredEvents }: AgentRun): Fragment {
  if (files === 0 || expiredEvents === 0 || changeBranch === null) return false
  return html`<h2>${texts.changeTitle}</h2>
<p class="notice">${texts.changeExpired}<br><code>${texts.diffCommand(branch, changeBranch)}</code></p>`
}

/** git writes the files of a diff in the order of its list of files. */
function splitFiles(lines: readonly string[]): string[][] {
  const files: string[][] = []
  for (const line of lines) {
    if (line.startsWith('diff --git ')) files.push([])
    files.at(-1)?.push(line)
  }
  return files
}

function showFile({ path, status, added, removed }: ChangedFile, lines: readonly string[]): Markup {
  const name = html`<code>${toForeignText(path)}</code> <span class="quiet">${texts.fileName(texts.fileStatus[status], added, removed)}</span>`
  const from = lines.findIndex(line => line.startsWith('@@'))
  if (from === -1) return html`<p class="file">${name}</p>`
  return html`<details class="file" open><summary>${name}</summary><pre class="diff">${joinRuns(lines.slice(from))}</pre></details>
`
}

/** Lines of one kind that follow each other are one element. */
function joinRuns(lines: readonly string[]): Fragment[] {
  const runs: { kind: string; lines: string[] }[] = []
  for (const line of lines) {
    const kind = line.charAt(0)
    if (runs.at(-1)?.kind !== kind) runs.push({ kind, lines: [] })
    runs.at(-1)?.lines.push(shorten(toForeignText(line), maxLineCharacters, texts.cutLine))
  }
  return runs.map(({ kind, lines }) => wrap(kind, `${lines.join('\n')}\n`))
}

function wrap(kind: string, text: string): Fragment {
  if (kind === '+') return html`<ins>${text}</ins>`
  if (kind === '-') return html`<del>${text}</del>`
  return kind === '@' ? html`<b>${text}</b>` : text
}
