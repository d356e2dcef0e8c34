import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { join } from 'node:path'
import type { Logger } from 'pino'
import { hashText } from '../base/digest.ts'
import { escapeHtml } from '../docs/escape-html.ts'
import { type BundleChanges, compareBundles } from '../export/compare/compare-bundles.ts'
import type { HostConfig } from '../flags/host-settings.ts'
import type { HostFolder } from '../host/versions/host-folder.ts'
import { mayServe } from '../host/versions/trust.ts'
import { filesFolder, type Version } from '../host/versions/version.ts'

/** The address of the feed. Bundles have no such file, because the folder is Quire's. */
const feedPath = '/_quire/feed.atom'
/** Pages of one kind that an entry names. */
const maxNamed = 100

interface FeedParts {
  config: Pick<HostConfig, 'update'>
  folder: HostFolder
  log: Logger
}

interface AccessNote {
  note?: (req: IncomingMessage, res: ServerResponse, sentBytes: number) => void
}

/** Returns a listener that answers the feed of the versions, and leaves all other addresses to the site. */
export function createFeed(parts: FeedParts, { note }: AccessNote, site: RequestListener): RequestListener {
  const compare = createComparer(parts)
  return (req, res) => {
    if (req.url !== feedPath || (req.method !== 'GET' && req.method !== 'HEAD')) return site(req, res)
    writeFeed(parts, compare)
      .then(text => {
        const etag = `"${hashText(text)}"`
        const isSame = req.headers['if-none-match'] === etag
        const body = Buffer.from(text)
        const sent = isSame || req.method === 'HEAD' ? 0 : body.length
        if (note) res.once('close', () => note(req, res, sent))
        const type = { 'Content-Type': 'application/atom+xml; charset=utf-8', 'X-Content-Type-Options': 'nosniff' }
        const headers = { ...type, ETag: etag, 'Cache-Control': 'no-cache' }
        if (isSame) res.writeHead(304, headers).end()
        else res.writeHead(200, { ...headers, 'Content-Length': body.length }).end(sent === 0 ? undefined : body)
      })
      .catch(error => {
        parts.log.error({ err: error }, 'the feed of the versions cannot be made')
        res.writeHead(500).end()
      })
  }
}

type Compare = (before: Version, after: Version) => Promise<BundleChanges | null>

/** Compares versions that are kept, each pair once. Returns null for a pair that cannot be compared. */
function createComparer({ folder, log }: FeedParts): Compare {
  const known = new Map<string, Promise<BundleChanges | null>>()
  const filesOf = ({ id }: Version) => join(folder.pathOf(id), filesFolder)
  return (before, after) => {
    const pair = `${before.id} ${after.id}`
    const compared =
      known.get(pair) ??
      compareBundles(filesOf(before), filesOf(after), new AbortController().signal).catch(error => {
        log.warn({ err: error }, 'two versions cannot be compared')
        return null
      })
    known.set(pair, compared)
    return compared
  }
}

/** Writes the feed in the Atom format (RFC 4287). */
async function writeFeed({ config, folder }: FeedParts, compare: Compare): Promise<string> {
  const { held } = await folder.readState()
  const isServed = (version: Version) => !held.includes(version.id) && mayServe(version, config.update.trusted)
  const versions = (await folder.list()).filter(isServed)
  const entries: string[] = []
  for (const [index, version] of versions.entries()) {
    const before = versions[index + 1]
    entries.push(writeEntry(version, before ? await compare(before, version) : null))
  }
  const domain = versions[0]?.domain ?? 'docs.invalid'
  const updated = new Date(versions[0]?.unpackedAt ?? 0).toISOString()
  return `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
<id>tag:${escapeHtml(domain.replace(/:\d+$/, ''))},2026:versions</id>
<title>Versions of ${escapeHtml(domain)}</title>
<updated>${updated}</updated>
<author><name>${escapeHtml(domain)}</name></author>
<link rel="self" href="${feedPath}"/>
${entries.join('')}</feed>
`
}

function writeEntry({ id, sha256, label, unpackedAt }: Version, changes: BundleChanges | null): string {
  const content = changes ? describeChanges(changes) : '<p>There is no earlier version to compare it with.</p>'
  return `<entry>
<id>urn:sha256:${sha256}</id>
<title>Version ${escapeHtml(label ?? id)}</title>
<updated>${new Date(unpackedAt).toISOString()}</updated>
<link rel="alternate" href="/"/>
<content type="html">${escapeHtml(content)}</content>
</entry>
`
}

function describeChanges({ changed, added, removed, moved }: BundleChanges): string {
  const kinds = [
    describeKind(
      'Changed',
      changed.map(({ name, page, changes }) => `${name} (${page}): ${countTexts(changes)}`),
    ),
    describeKind(
      'Added',
      added.map(({ name, page }) => `${name} (${page})`),
    ),
    describeKind(
      'Removed',
      removed.map(({ name, page }) => `${name} (${page})`),
    ),
    describeKind(
      'Moved',
      moved.map(({ name, from, to }) => `${name} (${from} to ${to})`),
    ),
  ].join('')
  return kinds || '<p>The text of no page changed.</p>'
}

function countTexts(changes: BundleChanges['changed'][number]['changes']): string {
  const count = (kind: 'added' | 'removed') => changes.reduce((sum, change) => sum + change[kind].length, 0)
  return `sentences: ${count('added')} added, ${count('removed')} removed`
}

function describeKind(kind: string, pages: readonly string[]): string {
  if (pages.length === 0) return ''
  const rest = pages.length > maxNamed ? [`${pages.length - maxNamed} more`] : []
  const items = [...pages.slice(0, maxNamed), ...rest].map(page => `<li>${escapeHtml(page)}</li>`)
  return `<p>${kind}: ${pages.length}</p><ul>${items.join('')}</ul>`
}
