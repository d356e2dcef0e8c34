import { readdir, readFile } from 'node:fs/promises'
import { join, posix } from 'node:path'

/** A document of a package, as any generator can read it: Markdown without raw HTML, without its first heading. */
export interface Document {
  /** Path without extension, in lower case; `index` at the end for the first one of a folder. */
  slug: string
  title: string
  body: string
}

/**
 * Reads the documents of fastify: an index, `guides/` and `reference/`.
 *
 * @param link makes the address of a link to a document from its slug
 */
export async function readDocuments(folder: string, link: (slug: string, from: string) => string): Promise<Document[]> {
  const paths = (await readdir(folder, { recursive: true })).filter(path => path.endsWith('.md')).sort()
  const slugs = new Set(paths.map(slugOf))
  const documents: Document[] = []
  for (const path of paths) {
    const slug = slugOf(path)
    const text = dropHtml(await readFile(join(folder, path), 'utf8'))
    const title = /^#{1,2} (.+)$/m.exec(text)?.[1]?.replace(/[`*]/g, '').trim() ?? 'Documentation'
    const toAddress = (address: string) => {
      const [file = '', fragment] = address.split('#')
      const target = slugOf(posix.join(posix.dirname(path), file))
      if (!slugs.has(target)) return undefined
      return `${link(target, slug)}${fragment === undefined ? '' : `#${fragment}`}`
    }
    documents.push({ slug, title, body: changeLinks(text.replace(/^#{1,2} .+$/m, ''), toAddress) })
  }
  return documents
}

/** The address of a document below a base: `guides/index` is `/guides/`, `guides/testing` is `/guides/testing`. */
export function addressOf(slug: string, base = '/', ending = ''): string {
  const bare = slug.replace(/(^|\/)index$/, '$1')
  return `${base}${bare}${bare === '' || bare.endsWith('/') ? '' : ending}`
}

/** Text of a document with YAML front matter. */
export function withFrontMatter({ title, body }: Document, extra: Record<string, string | number> = {}): string {
  const fields = Object.entries({ title, ...extra }).map(([name, value]) => `${name}: ${JSON.stringify(value)}`)
  return `---\n${fields.join('\n')}\n---\n\n${body.trim()}\n`
}

/** Makes the files of documents: `path` has the slug in place of `*`. */
export function toFiles(
  documents: readonly Document[],
  path: string,
  write: (document: Document) => string = document => withFrontMatter(document),
): Record<string, string> {
  return Object.fromEntries(documents.map(document => [path.replace('*', document.slug), write(document)]))
}

/** Text of a document whose title is its first heading. */
export function withHeading({ title, body }: Document): string {
  return `# ${title}\n\n${body}\n`
}

/** Marks code as plain text where its language is one that the highlighters of some generators fail on. */
export function withKnownLanguages(text: string): string {
  return text.replace(/^( *```)(conf|MD|dockerignore|Dockerfile)$/gm, '$1txt')
}

function slugOf(path: string): string {
  return path.replace(/\.md$/i, '').toLowerCase()
}

/** Links to documents that do not exist become text. */
function changeLinks(text: string, toAddress: (address: string) => string | undefined): string {
  const isRelative = (address: string) => !/^([a-z]+:|#|\/)/i.test(address)
  return text
    .replace(/(!?)\[([^\][]*)\]\(([^)\s]+)\)/g, (all, mark: string, label: string, address: string) => {
      if (!isRelative(address)) return all
      const target = mark === '' ? toAddress(address) : undefined
      return target === undefined ? label : `[${label}](${target})`
    })
    .replace(/^\[([^\]]+)\]:\s*(\S+).*$/gm, (all, label: string, address: string) => {
      if (!isRelative(address)) return all
      return `[${label}]: ${toAddress(address) ?? '#'}`
    })
}

/** Removes tags and comments outside code, because generators treat raw HTML in different ways. */
function dropHtml(text: string): string {
  return text
    .replace(/^---\n[\s\S]*?\n---\n/, '')
    .split(/(^ *```[\s\S]*?^ *```.*$|`[^`\n]*`)/m)
    .map((part, i) =>
      i % 2 === 1
        ? part
        : part
            .replace(/<!--[\s\S]*?-->/g, '')
            .replace(/<\/?[a-z][^>]*>/gi, '')
            .replace(/[{}<]/g, '\\$&'),
    )
    .join('')
}
