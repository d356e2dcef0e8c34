import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { Command } from 'commander'
import { isBinary, shippedFolder } from '../assets.ts'
import { escapeControlsInLines } from '../base/escape-controls.ts'
import { OperatorError } from '../base/operator-error.ts'
import { addressSettings } from '../flags/address-settings.ts'
import { addSettings, type FlagsOf, type Settings } from '../flags/setting.ts'
import { shared } from '../flags/shared-settings.ts'
import { parseDomain, parseOrigin } from '../tenancy/site.ts'
import { explainDisk } from './explain-disk.ts'
import { type InitResult, type InitWishes, initDefaults, initStore } from './init-store.ts'
import { printJson } from './print.ts'
import { checkUserName, listServiceSteps, type ServiceSteps } from './service-steps.ts'
import { writeServiceUnit } from './service-unit.ts'
import { refuseDatabase, withStore } from './with-store.ts'

/** The settings of `quire init`. */
const initSettings = {
  data: shared.data,
  database: shared.database,
  org: { flag: '--org <id-or-name>', what: 'organization (default: the only one, else "Main")' },
  plan: {
    flag: '--plan <plan>',
    env: 'QUIRE_PLAN',
    what: 'plan of a new organization; static export needs enterprise',
    choices: ['standard', 'enterprise'],
    default: 'enterprise',
  },
  project: { flag: '--project <id-or-name>', what: 'project (default: the only one, else "Documentation")' },
  key: { flag: '--key <name>', what: 'first API key (default: any valid one, else "admin")' },
  expiresInDays: shared.expiresInDays,
  keyPrefix: shared.keyPrefix,
  site: { flag: '--site <domain>', what: 'site to register (default: none)' },
  origin: { flag: '--origin <url>', what: 'address to fetch the site from (default: https://DOMAIN/)' },
  unit: { flag: '--unit <file>', what: 'unit of systemd to write, such as quire.service (default: none)' },
  user: { flag: '--user <name>', env: 'QUIRE_SERVICE_USER', what: 'user of the unit', default: 'quire' },
  port: addressSettings.port,
  publicUrl: addressSettings.publicUrl,
  yes: { flag: '--yes', what: 'ask no questions' },
  json: shared.json,
} as const satisfies Settings

type InitFlags = FlagsOf<typeof initSettings>

export function initCommand(): Command {
  const command = new Command('init').description(
    'set up a data folder: organization, project, first key, site, and a unit of systemd',
  )
  return addSettings(command, initSettings)
    .addHelpText(
      'after',
      `
Examples:
  npx quire init
  npx quire init --yes --data /var/lib/quire --site docs.example.com
  npx quire init --yes --json --org Acme --unit /etc/systemd/system/quire.service --data /var/lib/quire

It asks questions if it runs in a terminal. It creates only what is missing, so it can be repeated. A new key is shown once. With --unit,
it prints the commands that create the user of the unit, give it the data folder, and start the service.`,
    )
    .action(init)
}

async function init(given: InitFlags, command: Command): Promise<void> {
  const flags = await completeFlags(given, command)
  const wishes = readWishes(flags)
  if (flags.unit !== undefined) {
    refuseDatabase(
      flags,
      'init --unit',
      'Write the unit without it, and add an EnvironmentFile with QUIRE_DATABASE, which only root can read.',
    )
  }
  const unit = flags.unit === undefined ? null : await prepareUnit(flags.unit, flags, command)
  const result = await withStore(flags, store => initStore(store, wishes, Date.now()))
  if (unit?.state === 'created') await writeUnit(unit)
  const dataFolder = resolve(flags.data)
  const unitShown = unit && { file: unit.file, state: unit.state, ...unit.steps }
  if (flags.json) printJson({ dataFolder, ...result, unit: unitShown })
  else for (const line of describe(result, dataFolder, unitShown)) console.log(escapeControlsInLines(line))
}

async function completeFlags(flags: InitFlags, command: Command): Promise<InitFlags> {
  if (flags.yes) return flags
  if (!process.stdin.isTTY || flags.json) {
    throw new OperatorError(
      'This is not a terminal, so nothing can be asked. Give flags, and --yes for the defaults.',
      2,
    )
  }
  const isGiven = (name: string) => command.getOptionValueSource(name) !== 'default'
  return askWishes(flags, isGiven)
}

interface Question {
  flag: 'data' | 'org' | 'project' | 'key' | 'site' | 'unit'
  text: string
  /** What an empty answer means. */
  hint: string
}

/**
 * Asks for each setting that no flag gives. The questions are on standard error, because the answer of the command is on standard
 * output.
 *
 * @param isGiven whether a flag or its variable gives a setting
 */
async function askWishes(flags: InitFlags, isGiven: (name: string) => boolean): Promise<InitFlags> {
  const questions: Question[] = [
    { flag: 'data', text: 'Data folder', hint: flags.data },
    { flag: 'org', text: 'Organization', hint: orExisting(initDefaults.org) },
    { flag: 'project', text: 'Project', hint: orExisting(initDefaults.project) },
    { flag: 'key', text: 'Name of the first API key', hint: orExisting(initDefaults.key) },
    { flag: 'site', text: 'Domain of a site to export, such as docs.example.com', hint: 'none' },
    { flag: 'unit', text: 'Unit of systemd to write, such as quire.service', hint: 'none' },
  ]
  const answered = { ...flags }
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  // Ctrl-C and Ctrl-D close it, and leave the question without an answer.
  const closed = new Promise<never>((_, failed) => {
    terminal.once('close', () => failed(new OperatorError('Nothing was set up.')))
  })
  closed.catch(() => {})
  try {
    for (const { flag, text, hint } of questions) {
      if (isGiven(flag) && answered[flag] !== undefined) continue
      const answer = (await Promise.race([terminal.question(`${text} [${hint}]: `), closed])).trim()
      if (answer !== '') answered[flag] = answer
    }
  } finally {
    terminal.close()
  }
  return answered
}

function readWishes({ site, origin, ...flags }: InitFlags): InitWishes {
  const { org, plan, project, key, keyPrefix, expiresInDays } = flags
  const wishes = { org, plan, project, key, keyPrefix, expiresInDays }
  if (site === undefined) {
    if (origin !== undefined) throw new OperatorError('--origin needs --site.', 2)
    return wishes
  }
  const domain = parseDomain(site)
  if (!domain) throw new OperatorError(`--site ${site} is not a host name. Example: docs.example.com`, 2)
  const parsed = origin === undefined ? null : parseOrigin(origin)
  if (parsed === undefined) {
    throw new OperatorError(`--origin ${origin} is not an http(s) URL without user, query and fragment.`, 2)
  }
  return { ...wishes, site: { domain, origin: parsed } }
}

interface PreparedUnit {
  file: string
  text: string
  state: 'created' | 'kept'
  steps: ServiceSteps
}

/** Writes nothing yet, but fails before the store is changed. */
async function prepareUnit(name: string, flags: InitFlags, command: Command): Promise<PreparedUnit> {
  const file = resolve(name)
  const port = command.getOptionValueSource('port') === 'default' ? undefined : flags.port
  const { user, publicUrl } = flags
  checkUserName(user)
  const dataFolder = resolve(flags.data)
  const program = findProgram()
  const text = writeServiceUnit({ program, user, publicUrl, port, dataFolder })
  const existing = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw explainDisk(error)
  })
  if (existing !== undefined && existing !== text) {
    throw new OperatorError(`${file} exists and is different. Move it away, or give another name with --unit.`)
  }
  const steps = listServiceSteps({ unitFile: file, user, dataFolder, program })
  return { file, text, state: existing === undefined ? 'created' : 'kept', steps }
}

async function writeUnit({ file, text }: PreparedUnit): Promise<void> {
  await writeFile(file, text, { flag: 'wx' }).catch(error => {
    throw explainDisk(error)
  })
}

/** The program that a service starts, by absolute paths. */
function findProgram(): string[] {
  if (isBinary) return [process.execPath]
  // In the installed package, the compiled program is one folder further down.
  const top = existsSync(join(shippedFolder, 'scripts/quire.mjs')) ? shippedFolder : dirname(shippedFolder)
  return [process.execPath, join(top, 'scripts/quire.mjs')]
}

function describe(
  { organization, project, key, site }: InitResult,
  dataFolder: string,
  unit: (Pick<PreparedUnit, 'file' | 'state'> & ServiceSteps) | null,
): string[] {
  const lines = [
    `Data folder   ${dataFolder}`,
    `Organization  ${organization.name} (${organization.id}), plan ${organization.plan}, ${organization.state}`,
    `Project       ${project.name} (${project.id}), ${project.state}`,
  ]
  if (site) lines.push(`Site          ${site.domain}, from ${site.origin ?? `https://${site.domain}/`}, ${site.state}`)
  if (unit) lines.push(`Unit          ${unit.file}, ${unit.state}`)
  const expiry = key.expiresAt === null ? '' : `, valid until ${new Date(key.expiresAt).toISOString().slice(0, 10)}`
  lines.push(`Key           ${key.name} (${key.id}), ${key.state}${expiry}`)
  if (key.key !== null) lines.push('', key.key, 'The key is shown only once: keep it in a safe place.')
  if (!unit) return [...lines, '', `Start the server: npx quire serve --data ${dataFolder}`]
  return [...lines, '', ...warnHidden(unit.hidden), 'To start the service, run as root:', ...unit.commands]
}

function warnHidden(paths: readonly string[]): string[] {
  if (paths.length === 0) return []
  const named = paths.join(' and ')
  return [
    `The service cannot read ${named}: the unit hides /home, /root, /run/user, /tmp and /var/tmp. Choose another folder.`,
  ]
}

function orExisting(name: string): string {
  return `${name}, or the existing one`
}
