import { type CallToolResult, fromJsonSchema, McpServer } from '@modelcontextprotocol/server'
import type { MarkedText } from '../../in-page/search/marked-text.ts'
import type { SearchHit } from '../../in-page/search/search-query.ts'
import type { DocsReader } from './docs-reader.ts'

/** A version of a documentation, as agents see it. */
export interface DocsVersion {
  id: string
  /** null = it has none, and its id is its name. */
  label: string | null
  domain: string | null
  reader: DocsReader
}

export interface DocsLibrary {
  /** Lists the versions, the current one first. */
  versions(): Promise<DocsVersion[]>
  /** The version of this program. */
  programVersion: string
}

const defaultHits = 8
const maxHits = 20
const defaultCharacters = 20_000
const maxCharacters = 100_000
const defaultPages = 200
const maxPages = 1000

const version = {
  type: 'string',
  description:
    'Label or id of a version; without it, the current one. An unknown one is answered with the list of versions.',
}
const whole = (least: number, most: number, value: number, description: string) => ({
  ...{ type: 'integer', minimum: least, maximum: most, default: value, description },
})
const offset = (of: string) => whole(0, 1_000_000_000, 0, `Number of ${of} to skip.`)
const schema = <T>(properties: object, required: string[]) =>
  fromJsonSchema<T>({ type: 'object', properties, required, additionalProperties: false } as never)

/** Creates a server of the Model Context Protocol with tools that read a documentation, and change nothing. */
export async function createDocsServer({ versions, programVersion }: DocsLibrary): Promise<McpServer> {
  const [current] = await versions()
  const of = current?.domain ? ` of ${current.domain}` : ''
  const server = new McpServer(
    { name: 'quire', title: `Documentation${of}`, version: programVersion },
    {
      instructions: `The documentation${of}, as it was exported. Find pages with search, then read them with read_page. Nothing leaves this server.`,
    },
  )
  const answer: AnswerCall = async (wanted, work) => {
    const found = await findVersion(versions, wanted)
    return toResult(typeof found === 'object' && 'reader' in found ? await work(found) : found)
  }
  for (const add of [addSearch, addReadPage, addListPages]) add(server, answer)
  return server
}

/** Answers a call with what the work returns for the version that the call names. */
type AnswerCall = (
  wanted: string | undefined,
  work: (version: DocsVersion) => Promise<string | Refusal>,
) => Promise<CallToolResult>

const annotations = { readOnlyHint: true, idempotentHint: true, openWorldHint: false }

function addSearch(server: McpServer, answer: AnswerCall): void {
  server.registerTool(
    'search',
    {
      title: 'Search the documentation',
      description: `Finds the pages that have all words of a query, or most of them. Returns paths for read_page, with the place of the words.`,
      inputSchema: schema<{ query: string; limit: number; version?: string }>(
        {
          query: { type: 'string', minLength: 1, maxLength: 500, description: 'A few words, such as: parse json file' },
          limit: whole(1, maxHits, defaultHits, 'Number of hits.'),
          version,
        },
        ['query'],
      ),
      annotations,
    },
    ({ query, limit = defaultHits, version }) =>
      answer(version, async ({ reader }) => {
        const hits = await reader.search(query)
        if (!hits)
          return refuse('This version has no search index. Use list_pages, or export it again with --offline-search.')
        if (hits.length === 0) return `No page has these words. Use fewer or other words, or list_pages.`
        return hits.slice(0, limit).map(describeHit).join('\n')
      }),
  )
}

function addReadPage(server: McpServer, answer: AnswerCall): void {
  server.registerTool(
    'read_page',
    {
      title: 'Read a page',
      description:
        'Returns a page as Markdown. A long page is returned in parts; the end of a part names the offset of the next.',
      inputSchema: schema<{ page: string; offset: number; limit: number; version?: string }>(
        {
          page: {
            type: 'string',
            minLength: 1,
            maxLength: 2000,
            description: 'A path from search, list_pages or a link in a page.',
          },
          offset: offset('characters'),
          limit: whole(100, maxCharacters, defaultCharacters, 'Number of characters.'),
          version,
        },
        ['page'],
      ),
      annotations,
    },
    ({ page, offset = 0, limit = defaultCharacters, version }) =>
      answer(version, async ({ reader }) => {
        const found = await reader.read(page)
        if (!found) return refuse(`There is no page ${page}. Find its path with search or list_pages.`)
        return cut(found, offset, limit)
      }),
  )
}

function addListPages(server: McpServer, answer: AnswerCall): void {
  server.registerTool(
    'list_pages',
    {
      title: 'List the pages',
      description: 'Lists the paths and titles of the pages, in the order of their paths.',
      inputSchema: schema<{ folder: string; offset: number; limit: number; version?: string }>(
        {
          folder: {
            type: 'string',
            maxLength: 2000,
            description: 'Only pages whose path begins with this, such as: guide/',
          },
          offset: offset('pages'),
          limit: whole(1, maxPages, defaultPages, 'Number of pages.'),
          version,
        },
        [],
      ),
      annotations,
    },
    ({ folder = '', offset = 0, limit = defaultPages, version }) =>
      answer(version, async ({ reader }) => {
        const { total, pages } = await reader.list(folder, offset, limit)
        if (total === 0)
          return refuse(`No page has a path that begins with ${folder}. Leave folder out to list all pages.`)
        const end = offset + pages.length
        const rest = end < total ? `\n\n${end} of ${total} pages. The next ones have offset ${end}.` : ''
        return pages.map(({ path, title }) => `- ${path}: ${title}`).join('\n') + rest
      }),
  )
}

/** Why a call has no result, and what to do instead. */
interface Refusal {
  reason: string
}

function refuse(reason: string): Refusal {
  return { reason }
}

function toResult(answer: string | Refusal): CallToolResult {
  const isError = typeof answer === 'object'
  return { content: [{ type: 'text', text: isError ? answer.reason : answer }], isError }
}

async function findVersion(
  versions: DocsLibrary['versions'],
  wanted: string | undefined,
): Promise<DocsVersion | Refusal> {
  const known = await versions()
  const found = wanted ? known.find(({ id, label }) => id === wanted || label === wanted) : known[0]
  if (found) return found
  if (known.length === 0) return refuse('No version is served yet. Its bundle is being fetched: try again in a minute.')
  const names = known.map(({ id, label }) => label ?? id).join(', ')
  return refuse(`There is no version ${wanted}. Known versions, the current one first: ${names}.`)
}

function describeHit({ path, anchor, page, heading, snippet }: SearchHit): string {
  const plain = (text: MarkedText) => text.map(piece => piece.text).join('')
  const place = heading.length > 0 ? ` > ${plain(heading)}` : ''
  return `- ${path}${anchor ? `#${anchor}` : ''}: ${plain(page)}${place}\n  ${plain(snippet)}`
}

function cut({ path, text }: { path: string; text: string }, offset: number, limit: number): string | Refusal {
  if (offset >= text.length) return refuse(`${path} has only ${text.length} characters. Read it from offset 0.`)
  const part = text.slice(offset, offset + limit)
  const end = offset + part.length
  return end < text.length ? `${part}\n\n[${end} of ${text.length} characters. The next part has offset ${end}.]` : part
}
