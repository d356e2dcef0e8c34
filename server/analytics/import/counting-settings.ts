import { OperatorError } from '../../base/operator-error.ts'
import { type CountingSettings, usualCounting } from '../../tenancy/project.ts'
import { parseCidr } from '../formats/address-ranges.ts'
import { toPage } from '../page.ts'

/** Limits of the lists, because each page view is compared with them. */
const maxEntries = 200

/** @throws {OperatorError} naming the entry. */
export function parseOwnAddresses(list: readonly string[]): string[] {
  const entries = distinct(list)
  const wrong = entries.find(entry => !parseCidr(entry))
  if (wrong !== undefined) fail(`${wrong} is neither an address nor a block such as 203.0.113.0/24.`)
  return entries
}

/**
 * Reads paths in the form in which pages are counted.
 *
 * @throws {OperatorError} naming the entry.
 */
export function parseNotPages(list: readonly string[]): string[] {
  return distinct(list).map(entry => {
    if (entry.endsWith('*')) return checkBeginning(entry)
    const page = toPage(checkPath(entry, entry))
    return page.refusal === undefined ? page.path : fail(`${entry} is no page in any project. Leave it out.`)
  })
}

/**
 * Reads paths, their beginnings, and endings such as `*.pdf`, see `OwnPages`.
 *
 * @throws {OperatorError} naming the entry.
 */
export function parsePages(list: readonly string[]): string[] {
  return distinct(list).map(entry => {
    if (entry.endsWith('*')) return checkBeginning(entry)
    if (entry.startsWith('*')) return checkEnding(entry)
    const page = toPage(checkPath(entry, entry), { isPage: true })
    return page.refusal === undefined ? page.path : fail(`${entry} is not a path.`)
  })
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

function distinct(list: readonly string[]): string[] {
  const entries = [...new Set(list.flatMap(entry => entry.trim() || []))]
  if (entries.length <= maxEntries) return entries
  return fail(`It may have ${maxEntries} entries. Join them to blocks, or to paths with a star.`)
}

function checkBeginning(entry: string): string {
  checkPath(entry, entry.slice(0, -1))
  return entry
}

function checkEnding(entry: string): string {
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
