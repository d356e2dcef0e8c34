import { Command, InvalidArgumentError } from 'commander'
import { parseCidr } from '../analytics/formats/address-ranges.ts'
import { toPage } from '../analytics/page.ts'
import { addSettings, type FlagsOf, type Settings } from '../flags/setting.ts'
import { storeSettings } from '../flags/shared-settings.ts'
import { recordChange } from '../store/record-change.ts'
import { getProject } from '../tenancy/get-project.ts'
import { aiMeanings, type CountingSettings, usualCounting } from '../tenancy/project.ts'
import { printResult } from './print.ts'
import { withExistingStore } from './with-store.ts'

/** Limits of the lists, because each page view is compared with them. */
const maxEntries = 200

const settings = {
  ownAddresses: {
    flag: '--own-addresses <list>',
    what: 'addresses whose views do not count, such as 203.0.113.0/24 of the office or a monitor; separated by commas; "" = none',
    read: readAddresses,
  },
  notPages: {
    flag: '--not-pages <list>',
    what: 'paths that are no pages, such as /status or /internal/*; separated by commas; "" = none',
    read: readPaths,
  },
  ai: {
    flag: '--ai <meaning>',
    what: 'which agents count as AI: all, or only those that read for a person now (assistants, coding agents, and programs that no list names and that read Markdown)',
    choices: aiMeanings,
  },
  ...storeSettings,
} as const satisfies Settings

export function projectsSetCommand(): Command {
  const command = new Command('set')
    .argument('<id-or-name>', 'project')
    .description('change what counts in a project: own addresses, paths that are no pages, which AI agents')
  return addSettings(command, settings)
    .addHelpText(
      'after',
      `
Examples:
  npx quire projects set Documentation --own-addresses 203.0.113.0/24,2001:db8:1::/48
  npx quire projects set Documentation --not-pages '/status,/internal/*'
  npx quire projects set Documentation --ai assistants
  npx quire projects set Documentation --json

Without a setting, the present ones are shown. Settings hold for what is counted from now on: for imports at once, for logs that are
followed when the process starts again, for visits that are sent within a minute. To apply them to the past, reset the visits and
import the logs again. What is left out is in the summary of an import: own-address, no-page, and the rule "no assistant".`,
    )
    .action(set)
}

async function set(
  idOrName: string,
  { ownAddresses, notPages, ai, json, ...flags }: FlagsOf<typeof settings>,
): Promise<void> {
  const isChange = [ownAddresses, notPages, ai].some(value => value !== undefined)
  const { id, counting } = await withExistingStore(flags, async store => {
    const project = await getProject(store, idOrName)
    const before = project.counting ?? usualCounting
    const counting = {
      ownAddresses: ownAddresses ?? before.ownAddresses,
      notPages: notPages ?? before.notPages,
      ai: ai ?? before.ai,
    }
    const { id, organizationId } = project
    if (!isChange) return { id, counting }
    await recordChange(
      store,
      { action: 'project.changed', subject: id, organizationId, detail: describe(counting) },
      nouns => nouns.projects.setCounting(id, counting),
    )
    return { id, counting }
  })
  const past = isChange
    ? '\nThis holds for what is counted from now on. For the past: npx quire visits reset --help'
    : ''
  printResult(json, { project: id, ...counting }, `${id}: ${describe(counting)}${past}`)
}

function describe({ ownAddresses, notPages, ai }: CountingSettings): string {
  const list = (entries: readonly string[]) => (entries.length > 0 ? entries.join(', ') : 'none')
  return `own addresses ${list(ownAddresses)}; no pages ${list(notPages)}; AI ${ai}`
}

function readList(text: string): string[] {
  const entries = text.split(',').flatMap(entry => entry.trim() || [])
  if (entries.length > maxEntries)
    throw new InvalidArgumentError(`It may have ${maxEntries} entries. Join them to blocks, or to paths with a star.`)
  return [...new Set(entries)]
}

function readAddresses(text: string): string[] {
  const entries = readList(text)
  const wrong = entries.find(entry => !parseCidr(entry))
  if (wrong === undefined) return entries
  throw new InvalidArgumentError(`${wrong} is neither an address nor a block such as 203.0.113.0/24.`)
}

/** Reads paths in the form in which pages are counted. */
function readPaths(text: string): string[] {
  return readList(text).map(entry => {
    const isBeginning = entry.endsWith('*')
    const path = isBeginning ? entry.slice(0, -1) : entry
    if (!path.startsWith('/')) throw new InvalidArgumentError(`${entry} must begin with a slash.`)
    if (/[*?#]/.test(path)) throw new InvalidArgumentError(`${entry} may have one star, at its end, and no query.`)
    if (isBeginning) return entry
    const page = toPage(path)
    if (page.refusal !== undefined) throw new InvalidArgumentError(`${entry} is no page in any project. Leave it out.`)
    return page.path
  })
}
