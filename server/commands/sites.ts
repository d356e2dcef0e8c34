import { Command } from 'commander'
import { OperatorError } from '../base/operator-error.ts'
import { probeSite, type SiteProbe } from '../export/probe-site.ts'
import { addSettings, type FlagsOf, type Settings, withoutVariables } from '../flags/setting.ts'
import { type StoreFlags, storeSettings } from '../flags/shared-settings.ts'
import {
  allowOrigin,
  readAllowedOrigins,
  readRemovalFlags,
  removalHelp,
  removalSettings,
} from '../flags/site-settings.ts'
import { addSite } from '../store/recorded-inserts.ts'
import { forgetSite, siteCachesFolder } from '../store/site-cache/site-caches.ts'
import { getProject } from '../tenancy/get-project.ts'
import { countRules, describeRules } from '../tenancy/removal-rules.ts'
import { describeAllowedOrigins, describeOrigin, parseDomain, parseOrigin, type Site } from '../tenancy/site.ts'
import { changeSite } from './change-site.ts'
import { findOrganizationId } from './find-organization.ts'
import { printJson, printResult, printRows } from './print.ts'
import { fitTerminal } from './prose.ts'
import { scheduleCommand } from './sites-schedule.ts'
import { setSigningKeyCommand } from './sites-set-signing-key.ts'
import { withExistingStore } from './with-store.ts'

const storedRules = withoutVariables(removalSettings)
const probe = { flag: '--no-probe', env: 'QUIRE_NO_PROBE', what: 'do not request the first page of the site' } as const
const createSettings = {
  ...storedRules,
  project: { flag: '--project <id-or-name>', what: 'project the site belongs to (default: the only one)' },
  origin: { flag: '--origin <url>', what: 'address to fetch the site from (default: https://DOMAIN/)' },
  allowOrigin,
  probe,
  ...storeSettings,
} as const satisfies Settings

const originSettings = { probe, ...storeSettings }
const rulesSettings = {
  ...storedRules,
  clear: { flag: '--clear', what: 'delete all rules of the site' },
  ...storeSettings,
} as const satisfies Settings

const help = `
Examples:
  npx quire sites create help.example.com --project Documentation
  npx quire sites create guide.example.com --project Documentation --origin http://127.0.0.1:8787/docs/
  npx quire sites set-origin help.example.com http://10.0.0.5:8080/docs/
  npx quire sites set-allowed-origins help.example.com http://10.0.0.7:9000
  npx quire sites set-features help.example.com --remove-selector '#ask-us' --remove-script '*/ask-us.js'
  npx quire sites set-features help.example.com --exclude '/internal/*' --exclude '*/drafts/*'
  npx quire sites schedule help.example.com --daily 03:00 --if-changed
  npx quire sites set-signing-key help.example.com quire-signing.pem
  npx quire sites set-signing-key help.example.com --clear
  npx quire sites forget-login help.example.com
  npx quire sites delete help.example.com

An origin may be a private or loopback address, because an operator sets it. So may an allowed origin: a further host from
which pages load files, such as a host for images and scripts. Exports use no other private address.`

export function sitesCommand(): Command {
  const sites = new Command('sites').description('documentation sites that can be exported').addHelpText('after', help)
  addSettings(sites.command('create <domain>').description('register a site'), createSettings)
    .addHelpText('after', `\n${removalHelp}`)
    .action(createSite)
  addSettings(
    sites
      .command('set-origin <domain> [url]')
      .description('set the origin of a site; without a URL, reset it to https://DOMAIN/'),
    originSettings,
  ).action(setOrigin)
  addSettings(
    sites
      .command('set-allowed-origins <domain> [url...]')
      .description('set the further private origins from which pages may load files; without a URL, allow none'),
    storeSettings,
  ).action(setAllowedOrigins)
  addSettings(
    sites
      .command('set-features <domain>')
      .description(
        "set the rules that remove content and pages from a site's exports, in addition to the known products; replaces earlier rules",
      ),
    rulesSettings,
  )
    .addHelpText('after', `\n${removalHelp}`)
    .action(setFeatures)
  sites.addCommand(scheduleCommand())
  sites.addCommand(setSigningKeyCommand())
  addSettings(
    sites.command('forget-login <domain>').description('delete the recorded login of a site, see npx quire login'),
    storeSettings,
  ).action(forgetLogin)
  addSettings(
    sites.command('delete <domain>').description('delete a site and its export cache; finished exports stay'),
    storeSettings,
  ).action(deleteSite)
  addSettings(
    sites.command('list').description('list the sites').option('--org <id-or-name>', 'only sites of this organization'),
    storeSettings,
  ).action(listSites)
  return sites
}

async function createSite(domainText: string, flags: FlagsOf<typeof createSettings>): Promise<void> {
  const domain = parseDomain(domainText)
  if (!domain) throw new OperatorError(`${domainText} is not a host name. Example: docs.example.com`, 2)
  const origin = flags.origin === undefined ? null : readOrigin(flags.origin)
  const removal = readRemovalFlags(flags)
  const allowedOrigins = flags.allowOrigin ?? []
  const site = await withExistingStore(flags, async store => {
    const { id: projectId, organizationId } = await getProject(store, flags.project)
    const existing = await store.sites.find(domain)
    if (existing) throw new OperatorError(`${domain} is already a site of ${existing.projectId}.`)
    const site = { domain, projectId, origin, createdAt: Date.now() }
    await addSite(store, { ...site, organizationId }, { removal, allowedOrigins })
    return site
  })
  if (!flags.json) console.log(`${domain} is a site of ${site.projectId}.`)
  const probe = flags.probe ? await probeOrigin(site) : null
  if (flags.json) printJson({ ...site, removal, allowedOrigins, probe })
  else if (probe) printProbe(site, probe)
}

async function setOrigin(
  domainText: string,
  url: string | undefined,
  flags: FlagsOf<typeof originSettings>,
): Promise<void> {
  const domain = domainText.toLowerCase()
  const origin = url === undefined ? null : readOrigin(url)
  await changeSite(flags, { domain, detail: describeOrigin({ domain, origin }) }, ({ sites }) =>
    sites.updateOrigin(domain, origin),
  )
  if (!flags.json) console.log(`${domain} is fetched from ${origin ?? `https://${domain}/`}.`)
  const probe = flags.probe ? await probeOrigin({ domain, origin }) : null
  if (flags.json) printJson({ domain, origin, probe })
  else if (probe) printProbe({ domain, origin }, probe)
}

async function setAllowedOrigins(domainText: string, urls: string[], flags: StoreFlags): Promise<void> {
  const domain = domainText.toLowerCase()
  const allowedOrigins = readAllowedOrigins(urls, 'The origin')
  await changeSite(flags, { domain, detail: describeAllowedOrigins(allowedOrigins) }, ({ sites }) =>
    sites.updateAllowedOrigins(domain, allowedOrigins),
  )
  const sentence =
    allowedOrigins.length === 0
      ? `Pages of ${domain} load files from no further private origin. This applies from the next export on.`
      : `Pages of ${domain} may also load files from ${allowedOrigins.join(', ')}. This applies from the next export on.`
  printResult(flags.json, { domain, allowedOrigins }, sentence)
}

async function setFeatures(domainText: string, flags: FlagsOf<typeof rulesSettings>): Promise<void> {
  const domain = domainText.toLowerCase()
  const removal = readRemovalFlags(flags)
  if ((removal === null) !== (flags.clear === true)) {
    const remedy = removal
      ? '--clear cannot be combined with rules. Leave one of them out.'
      : 'Give at least one rule, such as --remove-selector, --keep or --exclude, or give --clear.'
    throw new OperatorError(remedy, 2)
  }
  await changeSite(flags, { domain, detail: describeRules(removal) }, ({ sites }) =>
    sites.updateRemoval(domain, removal),
  )
  if (flags.json) printJson({ domain, removal })
  else if (removal) console.log(`The rules of ${domain} are set. They apply from the next export on.`)
  else console.log(`${domain} has no rules. From the next export on, only the known products are removed.`)
}

async function forgetLogin(domainText: string, flags: StoreFlags): Promise<void> {
  const domain = domainText.toLowerCase()
  await changeSite(flags, { domain, detail: 'login forgotten' }, ({ sites }) => sites.updateLogin(domain, null))
  printResult(
    flags.json,
    { domain, loginAt: null },
    `No login of ${domain} is stored. Sign out on the site to end it there.`,
  )
}

async function deleteSite(domainText: string, flags: StoreFlags): Promise<void> {
  const domain = domainText.toLowerCase()
  try {
    await changeSite(flags, { domain, action: 'site.deleted' }, ({ sites }) => sites.delete(domain))
  } finally {
    // Also of a site that is not registered any more.
    await forgetSite(siteCachesFolder(flags.data), domain)
  }
  printResult(flags.json, { domain, deleted: true }, `${domain} is deleted.`)
}

async function listSites(flags: StoreFlags & { org?: string }): Promise<void> {
  const rows = await withExistingStore(flags, async store => store.sites.list(await findOrganizationId(store, flags)))
  printRows(rows, {
    json: flags.json,
    empty: 'There are no sites yet. Register one with: npx quire sites create DOMAIN --project ID',
    toRow: ({ domain, projectId, origin, removal, allowedOrigins, loginAt }) => ({
      domain,
      projectId,
      origin: origin ?? `https://${domain}/`,
      rules: removal && countRules(removal),
      allowed: allowedOrigins.length === 0 ? null : allowedOrigins.length,
      loginAt,
    }),
  })
}

function readOrigin(text: string): string {
  const origin = parseOrigin(text)
  if (!origin) {
    throw new OperatorError(
      `${text} must be an http(s) URL without user, query and fragment. Example: http://127.0.0.1:3000/`,
      2,
    )
  }
  return origin
}

const probeTimeoutMs = 10_000

/** The address of a site; the origin is null if exports use https://DOMAIN/. */
type SiteAddress = Pick<Site, 'domain' | 'origin'>

/** Requests the first page of the site as an export would do. */
function probeOrigin({ domain, origin }: SiteAddress): Promise<SiteProbe> {
  return probeSite({
    origin: new URL(origin ?? `https://${domain}/`),
    originAllowed: origin !== null,
    timeoutMs: probeTimeoutMs,
  })
}

/** Prints how the origin answers. Problems that an export would have are warnings on standard error. */
function printProbe(site: SiteAddress, probe: SiteProbe): void {
  const { facts, warnings } = describeProbe(site, probe)
  for (const fact of facts) console.log(fitTerminal(fact, process.stdout))
  for (const warning of warnings) console.error(fitTerminal(`Warning: ${warning}`, process.stderr))
}

/** Describes a probe in sentences. A warning says what to do; the site stays registered. */
export function describeProbe(site: SiteAddress, probe: SiteProbe): { facts: string[]; warnings: string[] } {
  const { url, answeredBy, status, contentType, error } = probe
  const setOrigin = `npx quire sites set-origin ${site.domain}`
  if (status === null || answeredBy === null) {
    const remedy = `The site is registered. Check the address before the first export, or change it with: ${setOrigin} URL`
    return { facts: [], warnings: [`${url} does not answer: ${error}. ${remedy}`] }
  }
  const facts = [`${url} answers ${status}: ${describeContent(probe)}.`]
  const warnings: string[] = []
  if (status < 200 || status > 299) warnings.push(`An export needs a page at ${url}. Check the address.`)
  else if (contentType !== 'text/html') warnings.push(`${url} is not an HTML page. Check the address.`)
  const to = new URL(answeredBy)
  if (to.host !== new URL(url).host) {
    warnings.push(`It redirects to another host, ${to.href}. To export that host: ${setOrigin} ${to.origin}/`)
  } else if (to.href !== url) facts.push(`It redirects to ${to.href}.`)
  if (probe.rendering === 'browser') facts.push('Its text is made by scripts, so exports open each page in a browser.')
  if (probe.sitemapPages !== null) facts.push(`Its sitemap lists ${probe.sitemapPages} pages.`)
  if (probe.robots === 'none') facts.push('It has no robots.txt.')
  else if (probe.robots === 'allows') facts.push('Its robots.txt allows the export.')
  else if (site.origin !== null)
    facts.push('Its robots.txt forbids the export. It is not obeyed, because you set the origin.')
  else {
    warnings.push(
      `Its robots.txt forbids the export. Allow the user agent QuireExport there. If the site is yours, this ignores robots.txt: ${setOrigin} ${url}`,
    )
  }
  return { facts, warnings }
}

function describeContent({ contentType, title, generator }: SiteProbe): string {
  const words = [contentType || 'without a type', title && `title “${title}”`, generator && `made by ${generator}`]
  return words.filter(Boolean).join(', ')
}
