import { Command } from 'commander'
import { databaseOption, dataOption, jsonOption } from '../flags/options.ts'
import { revokeLinkKeys, rotateLinkKey } from '../store/link-keys.ts'
import { printResult } from './print.ts'
import { type StoreFlags, withExistingStore } from './with-store.ts'

interface LinkFlags extends StoreFlags {
  json?: boolean
}

export function linksCommand(): Command {
  const links = new Command('links').description('links to bundles, which need no API key').addHelpText(
    'after',
    `
Examples:
  npx quire links rotate
  npx quire links revoke --data /var/lib/quire

Both give the data folder a new link key, which a running server uses at once. After rotate, existing links work until they
expire. After revoke, none works: clients ask for a new link with generateStaticExportBundle.`,
  )
  links
    .command('rotate')
    .description('sign new links with a new key; existing links work until they expire')
    .addOption(dataOption())
    .addOption(databaseOption())
    .addOption(jsonOption())
    .action(rotate)
  links
    .command('revoke')
    .description('make all existing links void at once')
    .addOption(dataOption())
    .addOption(databaseOption())
    .addOption(jsonOption())
    .action(revoke)
  return links
}

async function rotate(flags: LinkFlags): Promise<void> {
  const now = Date.now()
  const lastEndsAt = await withExistingStore(flags, async store => {
    const lastEndsAt = await store.exportJobs.findLastLinkExpiry(now)
    rotateLinkKey(flags.data, now, lastEndsAt)
    return lastEndsAt
  })
  const rest =
    lastEndsAt === undefined ? 'No earlier link works any more.' : `Existing links end by ${toText(lastEndsAt)}.`
  printResult(flags.json, { existingLinksEndAt: lastEndsAt ?? null }, `New links are signed with a new key. ${rest}`)
}

async function revoke(flags: LinkFlags): Promise<void> {
  const jobs = await withExistingStore(flags, async store => {
    const jobs = await store.exportJobs.forgetLinks(Date.now())
    revokeLinkKeys(flags.data)
    return jobs
  })
  const had = jobs === 1 ? '1 export had' : `${jobs} exports had`
  printResult(flags.json, { jobsWithLinks: jobs }, `All links are void. ${had} links that worked.`)
}

function toText(instant: number): string {
  return new Date(instant).toISOString()
}
