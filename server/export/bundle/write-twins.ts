import { createWriteStream } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { finished } from 'node:stream/promises'
import { describeBytes } from '../../base/format-bytes.ts'
import { foldName } from '../../base/path-names.ts'
import { twinPath } from '../../web/markdown/page-markdown.ts'
import type { CollectedSite } from '../crawl/crawl-tools.ts'
import type { PagePool } from '../pages/page-pool.ts'
import type { TwinTask, WrittenTwin } from '../pages/page-tasks.ts'
import { relativeReference } from '../rewrite/layout.ts'

/** The lists of the twins: one to choose from, and one with all of them. A site that has such a file keeps its own. */
const listPath = 'llms.txt'
export const twinLists = [listPath, 'llms-full.txt'] as const

/** Returns the pages that get a Markdown twin: all but those whose twin would have the name of a file of the site. */
export function listTwins(
  collected: CollectedSite,
  pagePaths: ReadonlyMap<string, string>,
  paths: ReadonlySet<string>,
): ReadonlySet<string> {
  const taken = new Set([...paths].map(foldName))
  return new Set(
    [...pagePaths]
      .filter(([key]) => !isFramed(collected, key))
      .map(([, path]) => path)
      .sort()
      .filter(path => {
        const name = foldName(twinPath(path))
        const isFree = !taken.has(name)
        taken.add(name)
        return isFree
      }),
  )
}

function isFramed({ pages }: CollectedSite, key: string): boolean {
  const outcome = pages.get(key)
  return outcome?.state !== 'page' || outcome.resource.isFramed === true
}

interface TwinWriting {
  collected: CollectedSite
  folder: string
  pool: Pick<PagePool, 'twin'>
  version: string | null
  /** The files of the finished bundle. */
  written: { paths: readonly string[]; pagePaths: ReadonlyMap<string, string>; twins: ReadonlySet<string> }
}

/** Writes the Markdown twins of a bundle whose pages are final, and the lists of them. Returns the paths of the new files. */
export async function writeTwins({ collected, folder, pool, version, written }: TwinWriting): Promise<string[]> {
  const { pages, site } = collected
  const tasks = [...written.pagePaths].flatMap(([key, path]): TwinTask[] => {
    const outcome = pages.get(key)
    if (outcome?.state !== 'page' || !written.twins.has(path)) return []
    const { charset, url } = outcome.resource
    return [{ path, charset, address: site.online(url).href }]
  })
  const twins = await Promise.all(tasks.map(task => pool.twin(task)))
  twins.sort((a, b) => (a.path < b.path ? -1 : 1))
  const [index, full] = twinLists.map(path => (written.paths.includes(path) ? null : path))
  const sections = groupTwins(twins)
  const fullBytes = full ? await writeFull(folder, full, sections) : null
  if (index)
    await writeFile(join(folder, index), listText({ twins, sections, domain: site.domain, version, fullBytes }))
  return [...twins.map(({ path }) => path), ...[index, full].filter(path => path !== null && path !== undefined)]
}

type Sections = ReadonlyMap<string, readonly WrittenTwin[]>

/** Groups twins by the first folder in which they differ; '' = those above all folders, which come first. */
function groupTwins(twins: readonly WrittenTwin[]): Sections {
  const folders = twins.map(({ path }) => path.split('/').slice(0, -1))
  const [first = []] = folders
  // The page of a site's root says nothing about the folder of the others.
  const deep = folders.filter(folder => folder.length > 0)
  let shared = 0
  while (
    deep.length > 1 &&
    deep.every(folder => folder.length > shared && folder[shared] === (deep[0] ?? first)[shared])
  )
    shared += 1
  const sections = new Map<string, WrittenTwin[]>([['', []]])
  for (const [at, twin] of twins.entries()) {
    const name = folders[at]?.[shared] ?? ''
    sections.set(name, [...(sections.get(name) ?? []), twin])
  }
  return new Map([...sections].filter(([, members]) => members.length > 0))
}

async function writeFull(folder: string, path: string, sections: Sections): Promise<number> {
  const out = createWriteStream(join(folder, path))
  let bytes = 0
  for (const { path: twin } of [...sections.values()].flat()) {
    const text = await readFile(join(folder, twin))
    bytes += text.length + 1
    if (!out.write(Buffer.concat([text, Buffer.from('\n')]))) await new Promise(resolve => out.once('drain', resolve))
  }
  await finished(out.end())
  return bytes
}

interface ListFacts {
  twins: readonly WrittenTwin[]
  sections: Sections
  domain: string
  version: string | null
  /** Size of the file with all pages; null = the bundle has the site's own. */
  fullBytes: number | null
}

/** Writes the list as https://llmstxt.org describes it. */
function listText({ twins, sections, domain, version, fullBytes }: ListFacts): string {
  const start = twins.find(({ path }) => path === 'index.md') ?? twins[0]
  const about = `${twins.length.toLocaleString('en')} pages of ${domain}${version === null ? '' : `, version ${version}`}, as Markdown.`
  const all =
    fullBytes === null ? '' : ` All of them are in [llms-full.txt](llms-full.txt) (${describeBytes(fullBytes)}).`
  const head = [`# ${start?.title || domain}`, ...(start?.description ? [`> ${start.description}`] : []), about + all]
  const lists = [...sections].map(([name, members]) => {
    const bytes = members.reduce((sum, { sizeBytes }) => sum + sizeBytes, 1024)
    return `## ${name === '' ? 'Start' : name} (${describeBytes(bytes)})\n\n${members.map(listLine).join('\n')}`
  })
  return `${[...head, ...lists].join('\n\n')}\n`
}

function listLine({ path, title, description, sizeBytes }: WrittenTwin): string {
  const name = (title || path).replace(/[[\]]/g, '\\$&')
  const text = description === '' ? '' : `${description} `
  return `- [${name}](${relativeReference(listPath, path)}): ${text}(${describeBytes(Math.max(1024, sizeBytes))})`
}
