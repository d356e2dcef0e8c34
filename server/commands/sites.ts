import { Command } from 'commander'
import { OperatorError } from '../base/operator-error.ts'
import { dataOption, jsonOption } from '../flags/options.ts'
import { addRemovalOptions, type RemovalFlags, readRemovalFlags, removalHelp } from '../flags/removal-options.ts'
import { forgetSite, siteCachesFolder } from '../store/site-cache/site-caches.ts'
import { getProject } from '../tenancy/get-project.ts'
import { parseDomain, parseOrigin } from '../tenancy/site.ts'
import { printJson, printRows } from './print.ts'
import { withStore } from './with-store.ts'

interface CreateFlags extends RemovalFlags {
  project: string
  origin?: string
  data: string
  json?: boolean
}

interface SetFeaturesFlags extends RemovalFlags {
  clear?: boolean
  data: string
  json?: boolean
}

export function sitesCommand(): Command {
  const sites = new Command('sites').description('documentation sites that can be exported').addHelpText(
    'after',
    `
Examples:
  quire sites create docs.example.com --project prj_0f3c9a1b2d4e5f60
  quire sites create docs.example.com --project prj_0f3c9a1b2d4e5f60 --origin http://127.0.0.1:3000/
  quire sites set-origin docs.example.com http://10.0.0.5:8080/docs/
  quire sites set-features docs.example.com --remove-selector '#ask-us' --remove-script '*/ask-us.js'
  quire sites set-features docs.example.com --exclude '/internal/*' --exclude '*/drafts/*'
  quire sites set-features docs.example.com --features-file features.json
  quire sites delete docs.example.com

An origin may be a private or loopback address, because an operator sets it. Exports use no other private address.`,
  )
  addRemovalOptions(sites.command('create <domain>'))
    .description('register a site')
    .requiredOption('--project <id>', 'project the site belongs to')
    .option('--origin <url>', 'address to fetch the site from (default: https://DOMAIN/)')
    .addOption(dataOption())
    .addOption(jsonOption())
    .addHelpText('after', `\n${removalHelp}`)
    .action(createSite)
  sites
    .command('set-origin <domain> [url]')
    .description('set the origin of a site; without a URL, reset it to https://DOMAIN/')
    .addOption(dataOption())
    .action(setOrigin)
  addRemovalOptions(sites.command('set-features <domain>'))
    .description(
      "set the rules that remove content and pages from a site's exports, in addition to the known products; replaces earlier rules",
    )
    .option('--clear', 'delete all rules of the site')
    .addOption(dataOption())
    .addOption(jsonOption())
    .addHelpText('after', `\n${removalHelp}`)
    .action(setFeatures)
  sites
    .command('delete <domain>')
    .description('delete a site and its export cache; finished exports stay')
    .addOption(dataOption())
    .action(deleteSite)
  sites
    .command('list')
    .description('list the sites')
    .option('--org <id>', 'only sites of this organization')
    .addOption(dataOption())
    .addOption(jsonOption())
    .action(listSites)
  return sites
}

async function createSite(domainText: string, flags: CreateFlags): Promise<void> {
  const domain = parseDomain(domainText)
  if (!domain) throw new OperatorError(`${domainText} is not a host name. Example: docs.example.com`, 2)
  const origin = flags.origin === undefined ? null : readOrigin(flags.origin)
  const removal = readRemovalFlags(flags)
  const site = { domain, projectId: flags.project, origin, createdAt: Date.now() }
  await withStore(flags.data, async store => {
    await getProject(store, flags.project)
    const existing = await store.sites.find(domain)
    if (existing) throw new OperatorError(`${domain} is already a site of ${existing.projectId}.`)
    await store.sites.insert(site)
    if (removal) await store.sites.updateRemoval(domain, removal)
  })
  if (flags.json) printJson({ ...site, removal })
  else console.log(`${domain} is a site of ${flags.project}.`)
}

async function setOrigin(domain: string, url: string | undefined, flags: { data: string }): Promise<void> {
  const origin = url === undefined ? null : readOrigin(url)
  const updated = await withStore(flags.data, store => store.sites.updateOrigin(domain.toLowerCase(), origin))
  if (!updated) throw unknownSite(domain)
  console.log(`${domain} is fetched from ${origin ?? `https://${domain}/`}.`)
}

async function setFeatures(domain: string, flags: SetFeaturesFlags): Promise<void> {
  const removal = readRemovalFlags(flags)
  if ((removal === null) !== (flags.clear === true)) {
    const remedy = removal
      ? '--clear cannot be combined with rules. Leave one of them out.'
      : 'Give at least one rule, such as --remove-selector, --keep or --exclude, or give --clear.'
    throw new OperatorError(remedy, 2)
  }
  const updated = await withStore(flags.data, store => store.sites.updateRemoval(domain.toLowerCase(), removal))
  if (!updated) throw unknownSite(domain)
  if (flags.json) printJson({ domain: domain.toLowerCase(), removal })
  else if (removal) console.log(`The rules of ${domain} are set. They apply from the next export on.`)
  else console.log(`${domain} has no rules. From the next export on, only the known products are removed.`)
}

async function deleteSite(domain: string, flags: { data: string }): Promise<void> {
  const deleted = await withStore(flags.data, async store => {
    const deleted = await store.sites.delete(domain.toLowerCase())
    await forgetSite(siteCachesFolder(flags.data), domain.toLowerCase())
    return deleted
  })
  if (!deleted) throw unknownSite(domain)
  console.log(`${domain} is deleted.`)
}

async function listSites(flags: { org?: string; data: string; json?: boolean }): Promise<void> {
  const rows = await withStore(flags.data, store => store.sites.list(flags.org))
  printRows(rows, {
    json: flags.json,
    empty: 'There are no sites yet. Register one with: quire sites create DOMAIN --project ID',
  })
}

function unknownSite(domain: string): OperatorError {
  return new OperatorError(`There is no site ${domain}. See: quire sites list`)
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
