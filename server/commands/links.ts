import { Command } from 'commander'
import { OperatorError } from '../base/operator-error.ts'
import { linkKeyFileOption } from '../flags/node-options.ts'
import { databaseOption, dataOption, jsonOption } from '../flags/options.ts'
import { revokeLinkKeys, rotateLinkKey } from '../store/link-keys.ts'
import { printResult } from './print.ts'
import { type StoreFlags, withExistingStore } from './with-store.ts'

interface LinkFlags extends StoreFlags {
  linkKeyFile?: string
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
expire. After revoke, none works: clients ask for a new link with generateStaticExportBundle.

Servers that share a --link-key-file get a new key with that file, see the documentation. Before the old key is removed from it, run
revoke, so that servers with the new key start.`,
  )
  links
    .command('rotate')
    .description('sign new links with a new key; existing links work until they expire')
    .addOption(dataOption())
    .addOption(databaseOption())
    .addOption(linkKeyFileOption())
    .addOption(jsonOption())
    .action(rotate)
  links
    .command('revoke')
    .description('make all existing links void at once')
    .addOption(dataOption())
    .addOption(databaseOption())
    .addOption(linkKeyFileOption())
    .addOption(jsonOption())
    .action(revoke)
  return links
}

async function rotate(flags: LinkFlags): Promise<void> {
  if (flags.linkKeyFile !== undefined) {
    throw new OperatorError(
      'This gives a data folder a new key. With --link-key-file, add a line with a new key to the file of each server, and then move the ' +
        'line to the top.',
      2,
    )
  }
  const now = Date.now()
  const lastEndsAt = await withExistingStore(flags, async store => {
    const lastEndsAt = await store.exportJobs.findLastLinkExpiry(now)
    rotateLinkKey(flags.data, now, lastEndsAt)
    await store.linkKey?.forget()
    return lastEndsAt
  })
  const rest =
    lastEndsAt === undefined ? 'No earlier link works any more.' : `Existing links end by ${toText(lastEndsAt)}.`
  printResult(flags.json, { existingLinksEndAt: lastEndsAt ?? null }, `New links are signed with a new key. ${rest}`)
}

async function revoke(flags: LinkFlags): Promise<void> {
  const jobs = await withExistingStore(flags, async store => {
    const jobs = await store.exportJobs.forgetLinks(Date.now())
    if (flags.linkKeyFile === undefined) revokeLinkKeys(flags.data)
    await store.linkKey?.forget()
    return jobs
  })
  const had = jobs === 1 ? '1 export had' : `${jobs} exports had`
  const outcome =
    flags.linkKeyFile === undefined
      ? 'All links are void.'
      : 'Now give all servers a --link-key-file with only a new key, and restart them. Then all links are void.'
  printResult(flags.json, { jobsWithLinks: jobs }, `${outcome} ${had} links that worked.`)
}

function toText(instant: number): string {
  return new Date(instant).toISOString()
}
