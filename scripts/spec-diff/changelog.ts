import { OperatorError } from '../../server/base/operator-error.ts'
import type { Change } from './change.ts'
import type { Verdict } from './verdict.ts'

/**
 * Writes the changes of the API to the unreleased version in the text of CHANGELOG.md. An earlier entry from the same released
 * version is replaced, and removed if nothing changed.
 *
 * @throws {OperatorError} if the changelog has no unreleased version
 */
export function writeChangelog(changelog: string, changes: readonly Change[], verdict: Verdict): string {
  const lines = changelog.split('\n')
  const start = lines.findIndex(line => /^## .*unreleased/i.test(line))
  if (start < 0) {
    throw new OperatorError('CHANGELOG.md has no unreleased version. Add a heading such as: ## 0.2.0 (unreleased)')
  }
  const end = findLine(lines, start + 1, /^## /)
  const title = `${heading} from ${verdict.released}`
  const old = lines
    .slice(0, end)
    .findIndex((line, index) => index > start && (line === title || line.startsWith(`${title} to `)))
  if (old >= 0) lines.splice(old, findLine(lines, old + 1, /^##/) - old)
  const entry = writeEntry(changes, verdict)
  if (entry.length > 0) {
    const place = findLine(lines, start + 1, /^##/)
    if (lines[place - 1] !== '') entry.unshift('')
    lines.splice(place, 0, ...entry)
  }
  return `${lines.join('\n').trimEnd()}\n`
}

const heading = '### Changes of the API'

function writeEntry(changes: readonly Change[], { released, current }: Verdict): string[] {
  if (changes.length === 0) return []
  const title = `${heading} from ${released}${current === released ? '' : ` to ${current}`}`
  const write = ({ place, text }: Change) => `- \`${place}\`: ${text}`
  const breaking = changes.filter(({ level }) => level === 'breaking').map(write)
  const compatible = changes.filter(({ level }) => level === 'not breaking').map(write)
  const texts = changes.filter(({ level }) => level === 'documentation')
  return [
    title,
    '',
    ...(breaking.length > 0 ? ['Breaking:', '', ...breaking, ''] : []),
    ...(compatible.length > 0 ? ['Not breaking:', '', ...compatible, ''] : []),
    ...(texts.length > 0 ? [writeTexts(texts), ''] : []),
  ]
}

function writeTexts(changes: readonly Change[]): string {
  const operations = [...new Set(changes.flatMap(change => change.operations))].sort()
  const places = operations.length > 0 ? ` of ${operations.map(name => `\`${name}\``).join(', ')}` : ''
  return `Descriptions and examples${places} changed.`
}

/** Returns the index of the next line that matches; otherwise the end. */
function findLine(lines: readonly string[], from: number, pattern: RegExp): number {
  const index = lines.slice(from).findIndex(line => pattern.test(line))
  return index < 0 ? lines.length : from + index
}
