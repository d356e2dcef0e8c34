import { Command, InvalidArgumentError } from 'commander'
import {
  changeCounting,
  describeCounting,
  parseNotPages,
  parseOwnAddresses,
  parsePages,
} from '../analytics/import/counting-settings.ts'
import { OperatorError } from '../base/operator-error.ts'
import { readAgentsFile } from '../flags/agents-file.ts'
import { addSettings, type FlagsOf, type Settings } from '../flags/setting.ts'
import { storeSettings } from '../flags/shared-settings.ts'
import { recordChange } from '../store/record-change.ts'
import { getProject } from '../tenancy/get-project.ts'
import { aiMeanings } from '../tenancy/project.ts'
import { printResult } from './print.ts'
import { withExistingStore } from './with-store.ts'

const settings = {
  ownAddresses: {
    flag: '--own-addresses <list>',
    what: 'addresses whose views do not count, such as 203.0.113.0/24 of the office or a monitor; separated by commas; "" = none',
    read: listReader(parseOwnAddresses),
  },
  notPages: {
    flag: '--not-pages <list>',
    what: 'paths that are no pages, such as /status or /internal/*; separated by commas; "" = none',
    read: listReader(parseNotPages),
  },
  pages: {
    flag: '--pages <list>',
    what: 'paths and endings that are pages although they usually are not, such as /api/* or *.pdf; separated by commas; "" = none',
    read: listReader(parsePages),
  },
  agentsFile: {
    flag: '--agents-file <file>',
    what: 'JSON file of agents that are asked before the built-in ones; it is kept with the project; "" = none',
    read: (text: string) => (text === '' ? [] : readAgentsFile(text).agents),
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
    .description('change what counts in a project: own addresses, what is a page, which AI agents')
  return addSettings(command, settings)
    .addHelpText(
      'after',
      `
Examples:
  npx quire projects set Documentation --own-addresses 203.0.113.0/24,2001:db8:1::/48
  npx quire projects set Documentation --not-pages '/status,/internal/*'
  npx quire projects set Documentation --pages '/api/*,*.pdf'
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
  { ownAddresses, notPages, pages, agentsFile: agents, ai, json, ...flags }: FlagsOf<typeof settings>,
): Promise<void> {
  const given = Object.entries({ ownAddresses, notPages, pages, agents, ai }).filter(([, value]) => value !== undefined)
  const isChange = given.length > 0
  const { id, counting } = await withExistingStore(flags, async store => {
    const project = await getProject(store, idOrName)
    const counting = changeCounting(project.counting, Object.fromEntries(given), Date.now())
    const { id, organizationId } = project
    if (!isChange) return { id, counting }
    await recordChange(
      store,
      { action: 'project.changed', subject: id, organizationId, detail: describeCounting(counting) },
      nouns => nouns.projects.setCounting(id, counting),
    )
    return { id, counting }
  })
  const past = isChange
    ? '\nThis holds for what is counted from now on. For the past: npx quire visits reset --help'
    : ''
  printResult(json, { project: id, ...counting }, `${id}: ${describeCounting(counting)}${past}`)
}

function listReader(parse: (list: readonly string[]) => string[]): (text: string) => string[] {
  return text => {
    try {
      return parse(text.split(','))
    } catch (error) {
      throw error instanceof OperatorError ? new InvalidArgumentError(error.message) : error
    }
  }
}
