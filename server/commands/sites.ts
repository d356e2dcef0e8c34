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
  const sites = new Command('sites').description('documentation sites that may be exported').addHelpText(
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

An origin may be a private or loopback address, because it is set here by hand; no other private address is ever fetched.`,
  )
  addRemovalOptions(sites.command('create <domain>'))
    .description('register a site')
    .requiredOption('--project <id>', 'project it belongs to')
    .option('--origin <url>', 'where to fetch it from (default: https://DOMAIN/)')
    .addOption(dataOption())
    .addOption(jsonOption())
    .addHelpText('after', `\n${removalHelp}`)
    .action(async (domainText: string, flags: CreateFlags) => {
      const domain = parseDomain(domainText)
      if (!domain) throw new OperatorError(`${domainText} is no bare host name. Example: docs.example.com`, 2)
      const origin = flags.origin === undefined ? null : readOrigin(flags.origin)
      const removal = readRemovalFlags(flags)
      const site = { domain, projectId: flags.project, origin, createdAt: Date.now() }
      await withStore(flags.data, async store => {
        await getProject(store, flags.project)
        const existing = await store.sites.find(domain)
        if (existing) throw new OperatorError(`${domain} is a site of ${existing.projectId} already.`)
        await store.sites.insert(site)
        if (removal) await store.sites.updateRemoval(domain, removal)
      })
      if (flags.json) printJson({ ...site, removal })
      else console.log(`${domain} is a site of ${flags.project}.`)
    })
  sites
    .command('set-origin <domain> [url]')
    .description('change where a site is fetched from; without a URL from https://DOMAIN/')
    .addOption(dataOption())
    .action(async (domain: string, url: string | undefined, flags: { data: string }) => {
      const origin = url === undefined ? null : readOrigin(url)
      const updated = await withStore(flags.data, store => store.sites.updateOrigin(domain.toLowerCase(), origin))
      if (!updated) throw new OperatorError(`There is no site ${domain}. See: quire sites list`)
      console.log(`${domain} is fetched from ${origin ?? `https://${domain}/`}.`)
    })
  addRemovalOptions(sites.command('set-features <domain>'))
    .description(
      'say what exports of a site remove, keep and leave out beyond the known products; replaces what was said before',
    )
    .option('--clear', 'go back to the known products alone')
    .addOption(dataOption())
    .addOption(jsonOption())
    .addHelpText('after', `\n${removalHelp}`)
    .action(async (domain: string, flags: SetFeaturesFlags) => {
      const removal = readRemovalFlags(flags)
      if ((removal === null) !== (flags.clear === true)) {
        const wanted = removal
          ? '--clear goes with no other rule.'
          : 'Say what to remove, to keep or to exclude, or --clear.'
        throw new OperatorError(wanted, 2)
      }
      const updated = await withStore(flags.data, store => store.sites.updateRemoval(domain.toLowerCase(), removal))
      if (!updated) throw new OperatorError(`There is no site ${domain}. See: quire sites list`)
      if (flags.json) printJson({ domain: domain.toLowerCase(), removal })
      else
        console.log(
          `The features of ${domain} are ${removal ? 'set' : 'the known products alone'}; exports from now on follow.`,
        )
    })
  sites
    .command('delete <domain>')
    .description('remove a site and what exports remember of it; its finished exports stay')
    .addOption(dataOption())
    .action(async (domain: string, flags: { data: string }) => {
      const deleted = await withStore(flags.data, async store => {
        const deleted = await store.sites.delete(domain.toLowerCase())
        await forgetSite(siteCachesFolder(flags.data), domain.toLowerCase())
        return deleted
      })
      if (!deleted) throw new OperatorError(`There is no site ${domain}. See: quire sites list`)
      console.log(`${domain} is removed.`)
    })
  sites
    .command('list')
    .description('list the sites')
    .option('--org <id>', 'only of this organization')
    .addOption(dataOption())
    .addOption(jsonOption())
    .action(async (flags: { org?: string; data: string; json?: boolean }) => {
      const rows = await withStore(flags.data, store => store.sites.list(flags.org))
      printRows(rows, {
        json: flags.json,
        empty: 'No site yet. Register one with: quire sites create DOMAIN --project ID',
      })
    })
  return sites
}

function readOrigin(text: string): string {
  const origin = parseOrigin(text)
  if (!origin) {
    throw new OperatorError(
      `${text} is no http(s) URL without user, query and fragment. Example: http://127.0.0.1:3000/`,
      2,
    )
  }
  return origin
}
