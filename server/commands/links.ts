import { Command } from 'commander'
import { OperatorError } from '../base/operator-error.ts'
import { addSettings, type FlagsOf } from '../flags/setting.ts'
import { shared } from '../flags/shared-settings.ts'
import { hasLinkKey, openLinkKeys, revokeLinkKeys, rotateLinkKey } from '../store/link-keys.ts'
import { agreeOnLinkKey, isAgreedLinkKey } from '../store/shared-link-keys.ts'
import type { Store } from '../store/store.ts'
import { printResult } from './print.ts'
import { withExistingStore } from './with-store.ts'

const { data, database, bundles, linkKeyFile, json } = shared
const rotateSettings = { data, database, linkKeyFile, json }
const revokeSettings = { data, database, bundles, linkKeyFile, json }

type LinkFlags = FlagsOf<typeof revokeSettings>

const sharedKeyRemedy =
  'npx quire links rotate gives a data folder a new key. The servers of this database share a --link-key-file, or none has started ' +
  'yet. In that file of each server, add a line with a new key, and then move the line to the top.'

const sharedKeyOrder = 'Now give all servers a --link-key-file with only a new key, and restart them.'

export function linksCommand(): Command {
  const links = new Command('links').description('links to bundles, which need no API key').addHelpText(
    'after',
    `
Examples:
  npx quire links rotate
  npx quire links revoke --data /var/lib/quire

Both give the data folder a new link key, which a running server uses at once. After rotate, existing links work until they
expire. After revoke, no link to Quire works: clients ask for a new link with generateStaticExportBundle. Links that lead to S3
(--bundle-links presigned) cannot be revoked: they work until they expire.

Servers that share a --link-key-file get a new key with that file, see the documentation. Before the old key is removed from it, run
revoke, so that servers with the new key start. Links are void when all servers have the new file.`,
  )
  const rotateCommand = links
    .command('rotate')
    .description('sign new links with a new key; existing links work until they expire')
  addSettings(rotateCommand, rotateSettings).action(rotate)
  const revokeCommand = links.command('revoke').description('make all existing links to Quire void at once')
  addSettings(revokeCommand, revokeSettings).action(revoke)
  return links
}

async function rotate(flags: LinkFlags): Promise<void> {
  const now = Date.now()
  const lastEndsAt = await withExistingStore(flags, async store => {
    if (!(await signsWithFolder(store, flags))) throw new OperatorError(sharedKeyRemedy, 2)
    const lastEndsAt = await rotateLinkKey(flags.data, now, () => store.exportJobs.findLastLinkExpiry(now))
    await agreeAnew(store, flags)
    return lastEndsAt
  })
  const rest =
    lastEndsAt === undefined ? 'No earlier link works any more.' : `Existing links end by ${toText(lastEndsAt)}.`
  printResult(flags.json, { existingLinksEndAt: lastEndsAt ?? null }, `New links are signed with a new key. ${rest}`)
}

async function revoke(flags: LinkFlags): Promise<void> {
  // Nothing records whether a link leads to S3, and on PostgreSQL the servers usually store bundles there.
  const mayLeadToS3 = flags.bundles !== undefined || flags.database !== undefined
  const now = Date.now()
  const { jobs, isFolderKey, lastEndsAt } = await withExistingStore(flags, async store => {
    const isFolderKey = await signsWithFolder(store, flags)
    const lastEndsAt = mayLeadToS3 ? await store.exportJobs.findLastLinkExpiry(now) : undefined
    // A link to S3 goes on working, so its job and its bundle are kept.
    const jobs = mayLeadToS3 ? await store.exportJobs.countLinked(now) : await store.exportJobs.forgetLinks(now)
    if (isFolderKey) revokeLinkKeys(flags.data)
    await (isFolderKey ? agreeAnew(store, flags) : store.linkKey?.forget())
    return { jobs, isFolderKey, lastEndsAt }
  })
  const links = mayLeadToS3 ? 'All links to Quire' : 'All links'
  const had = jobs === 1 ? '1 export had' : `${jobs} exports had`
  const sentences = [
    isFolderKey ? `${links} are void.` : `${sharedKeyOrder} Then all links to Quire are void.`,
    `${had} links that worked.`,
    ...(lastEndsAt === undefined
      ? []
      : [`Links that lead to S3 (--bundle-links presigned) work until they expire, by ${toText(lastEndsAt)}.`]),
  ]
  const outcome = {
    jobsWithLinks: jobs,
    needsNewKeyFile: !isFolderKey,
    presignedLinksEndAt: lastEndsAt ?? null,
  }
  printResult(flags.json, outcome, sentences.join(' '))
}

/** Whether the servers sign with the key in the data folder, and not with a file that they share. */
async function signsWithFolder({ linkKey }: Pick<Store, 'linkKey'>, flags: LinkFlags): Promise<boolean> {
  if (flags.linkKeyFile !== undefined) return false
  if (!linkKey) return true
  return hasLinkKey(flags.data) && isAgreedLinkKey(linkKey, openLinkKeys(flags.data))
}

/** Says to the servers of a database that the key in the data folder is a new one. */
async function agreeAnew({ linkKey }: Pick<Store, 'linkKey'>, { data }: LinkFlags): Promise<void> {
  if (!linkKey) return
  await linkKey.forget()
  await agreeOnLinkKey(linkKey, openLinkKeys(data))
}

function toText(instant: number): string {
  return new Date(instant).toISOString()
}
