import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Command } from 'commander'
import { displayNames } from '../base/minimal-environment.ts'
import { OperatorError } from '../base/operator-error.ts'
import { readTarget } from '../flags/export-settings.ts'
import { readGivenFile } from '../flags/read-given-file.ts'
import { runSettings } from '../flags/run-settings.ts'
import { addSettings, type FlagsOf, nonEmpty, type Settings } from '../flags/setting.ts'
import { webhookSettings } from '../flags/shared-settings.ts'
import { sessionFile } from '../flags/site-settings.ts'
import { openSecretBox } from '../store/webhook-keys.ts'
import type { Site } from '../tenancy/site.ts'
import { findBrowser, installCommand } from '../web/browser/find-browser.ts'
import { recordLogin } from '../web/browser/record-login.ts'
import { type LoginStep, parseLoginSteps } from '../web/login/login-steps.ts'
import { listEnds, type RecordedLogin } from '../web/login/recorded-login.ts'
import { changeSite, unknownSite } from './change-site.ts'
import { writeLoginFile } from './login-file.ts'
import { printResult, showCountOf } from './print.ts'
import { withExistingStore } from './with-store.ts'
import { withWorkFolder } from './with-work-folder.ts'

const loginSettings = {
  session: sessionFile(
    'write the login to this file, for npx quire export --session (default: store it with the registered site)',
  ),
  steps: {
    flag: '--steps <file>',
    env: 'QUIRE_LOGIN_STEPS',
    what: 'sign in without a window by these steps, one in JSON a line',
    read: nonEmpty('a file, such as login.jsonl'),
  },
  allowNoSandbox: runSettings.allowNoSandbox,
  ...webhookSettings,
} as const satisfies Settings

type LoginFlags = FlagsOf<typeof loginSettings>

const help = `
Without --steps, a browser window opens: sign in, and press Enter in the terminal or close the window on a page of the site. Steps
are JSON, one a line:
  {"open": "/login"}
  {"fill": "#user", "value": "reader"}
  {"fill": "#password", "value-env": "DOCS_PASSWORD"}
  {"click": "text=Sign in"}
  {"wait": "#content"}
Write a password neither into the file nor on the command line: value-env names a variable, {"value-stdin": true} reads a line from
standard input. {"press": "Enter"} presses a key. Selectors are CSS, or text= and the name of a button or link.

Cookies and local storage are kept: encrypted with the site in the data folder, or in a file that only you can read. Exports send
them only to the site. What this login may read is in the bundle.`

export function loginCommand(): Command {
  const command = new Command('login')
    .description('sign in to a site, so that exports can read what is behind its login')
    .argument('<domain-or-url>', 'registered site, or with --session any domain or URL')
  return addSettings(command, loginSettings).addHelpText('after', help).action(run)
}

async function run(target: string, flags: LoginFlags): Promise<void> {
  const { session } = flags
  if (session !== undefined) {
    const login = await record(readTarget(target, undefined).origin, flags)
    await writeLoginFile(session, login)
    return printLogin(login, flags, `the file ${session}. Use it with: npx quire export ${target} --session ${session}`)
  }
  const domain = target.toLowerCase()
  if (/[/:]/.test(domain))
    throw new OperatorError(
      `${target} is an address. Name the domain of a registered site, or add --session login.json.`,
      2,
    )
  const site = await withExistingStore(flags, store => store.sites.find(domain))
  if (!site) throw unknownSite(domain)
  const login = await record(toOrigin(site), flags)
  const sealed = openSecretBox(flags.data, flags.webhookKeyFile).seal(`login ${domain}`, JSON.stringify(login))
  await changeSite(flags, { domain, detail: 'login recorded' }, ({ sites }) =>
    sites.updateLogin(domain, { sealed, at: login.recordedAt }),
  )
  printLogin(login, flags, `the data folder, encrypted. Exports of ${domain} use it from now on`)
}

function toOrigin({ domain, origin }: Site): URL {
  return new URL(origin ?? `https://${domain}/`)
}

async function record(site: URL, { steps: file, allowNoSandbox = false }: LoginFlags): Promise<RecordedLogin> {
  const steps = file === undefined ? null : parseLoginSteps(readGivenFile(file, `--steps ${file}`), file)
  if (steps === null) requireDisplay()
  const executablePath = findBrowser(process.env, { visible: steps === null })
  if (executablePath === null) {
    const install = steps === null ? 'npx puppeteer browsers install chrome' : installCommand()
    throw new OperatorError(
      `No browser is installed that can ${steps ? 'sign in' : 'show a window'}. Install one: ${install}`,
    )
  }
  const stopped = 'The login was stopped; nothing was stored.'
  return withWorkFolder(undefined, stopped, async (scratch, signal) => {
    const terminal = createInterface({ input: process.stdin })
    const lines = terminal[Symbol.asyncIterator]()
    try {
      const profileFolder = join(scratch, 'browser')
      if (steps === null)
        console.error(`Sign in to ${site.host} in the window. Then press Enter here, or close the window.`)
      const done = steps === null ? lines.next() : Promise.resolve()
      const browser = { executablePath, profileFolder, allowNoSandbox }
      return await recordLogin({ browser, site, steps, readValue: value => readValue(value, lines), done, signal })
    } finally {
      terminal.close()
      process.stdin.unref?.()
    }
  })
}

function requireDisplay(): void {
  const hasDisplay = process.platform !== 'linux' || displayNames.some(name => process.env[name])
  if (!hasDisplay)
    throw new OperatorError(
      'There is no display for a window. Sign in by steps instead: --steps FILE (see npx quire login --help).',
      2,
    )
}

async function readValue(
  { source, text }: NonNullable<LoginStep['value']>,
  lines: AsyncIterator<string>,
): Promise<string> {
  if (source === 'value') return text
  const value = source === 'value-env' ? process.env[text] : (await lines.next()).value
  if (value) return value
  const lack =
    source === 'value-env' ? `the environment variable ${text}, which is not set` : 'a further line on standard input'
  throw new OperatorError(`The steps need ${lack}.`, 2)
}

function printLogin(login: RecordedLogin, { json }: LoginFlags, place: string): void {
  const { landing, cookies, storage } = login
  const end = listEnds(login).find(({ isToken }) => isToken)
  const until = end ? ` It works until ${new Date(end.at).toISOString()} (${end.name}).` : ''
  const values = showCountOf(Object.keys(storage).length, 'value')
  const result = {
    landing,
    cookies: cookies.map(({ name }) => name),
    storage: Object.keys(storage),
    endsAt: end?.at ?? null,
  }
  printResult(
    json,
    result,
    `Signed in on ${landing}: ${showCountOf(cookies.length, 'cookie')} and ${values} of local storage are stored in ${place}.${until}`,
  )
}
