import { OperatorError } from '../../base/operator-error.ts'
import { type CountingSettings, usualCounting } from '../../tenancy/project.ts'
import { parseCidr } from '../formats/address-ranges.ts'
import { toPage } from '../page.ts'

/** Limits of the lists, because each page view is compared with them. */
const maxEntries = 200

/** @throws {OperatorError} naming the entry. */
export function parseOwnAddresses(list: readonly string[]): string[] {
  const entries = readEntries(list)
  const wrong = entries.find(entry => !parseCidr(entry))
  if (wrong !== undefined) fail(`${wrong} is neither an address nor a block such as 203.0.113.0/24.`)
  const everyone = entries.find(entry => entry.endsWith('/0'))
  if (everyone !== undefined) fail(`${everyone} is every address: nobody would count.`)
  return entries
}

/**
 * Reads paths in the form in which pages are counted.
 *
 * @throws {OperatorError} naming the entry.
 */
export function parseNotPages(list: readonly string[]): string[] {
  return readEntries(list).map(readPath)
}

/**
 * Reads paths, their beginnings, and endings such as `*.pdf`, see `OwnPages`.
 *
 * @throws {OperatorError} naming the entry.
 */
export function parsePages(list: readonly string[]): string[] {
  return readEntries(list).map(entry => (entry.startsWith('*') ? readEnding(entry) : readPath(entry)))
}

/** Changes settings, and notes when the meaning of AI changed. */
export function changeCounting(
  before: CountingSettings = usualCounting,
  given: Partial<CountingSettings>,
  now: number,
): CountingSettings {
  const next = { ...usualCounting, ...before, ...given }
  return next.ai === before.ai ? next : { ...next, aiSince: now }
}

/** Describes the settings for the audit log. */
export function describeCounting({ ownAddresses, notPages, pages, agents, ai }: CountingSettings): string {
  const list = (entries: readonly string[]) => entries.join(', ') || 'none'
  const names = agents.map(({ name, class: use }) => `${name} (${use})`)
  return `own addresses ${list(ownAddresses)}; no pages ${list(notPages)}; more pages ${list(pages)}; more agents ${list(names)}; AI ${ai}`
}

function readEntries(list: readonly string[]): string[] {
  const entries = [...new Set(list.flatMap(entry => entry.trim() || []))]
  if (entries.length <= maxEntries) return entries
  return fail(`It may have ${maxEntries} entries. Join them to blocks, or to paths with a star.`)
}

/** Reads a path as pages are counted, or its beginning. What is no page elsewhere may be one of the project, see `OwnPages`. */
function readPath(entry: string): string {
  const isBeginning = entry.endsWith('*')
  const path = checkPath(entry, isBeginning ? entry.slice(0, -1) : entry)
  if (isBeginning) return entry
  const page = toPage(path, { isPage: true })
  return page.refusal === undefined ? page.path : fail(`${entry} is not a path.`)
}

function readEnding(entry: string): string {
  const [, extension = ''] = entry.split('*.')
  checkPath(entry, `/${extension}`)
  if (entry === `*.${extension}` && extension !== '' && !extension.includes('/')) return entry.toLowerCase()
  return fail(`${entry} must be a star and an extension, such as *.pdf.`)
}

function checkPath(entry: string, path: string): string {
  if (!path.startsWith('/')) fail(`${entry} must begin with a slash.`)
  if (/[*?#]/.test(path)) fail(`${entry} may have one star, at its end, and no query.`)
  return path
}

function fail(problem: string): never {
  throw new OperatorError(problem, 2)
}
