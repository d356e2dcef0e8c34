import { readdir, readFile } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import type { IndexLoader, SearchDirectory } from '../../in-page/search/index-format.ts'
import { createSearch } from '../../in-page/search/search-query.ts'
import { createTermReader } from '../../in-page/search/search-terms.ts'
import { readPageHead } from '../../web/html/page-head.ts'
import { readRawText } from '../../web/html/text-encoding.ts'
import { twinPath } from '../../web/markdown/page-markdown.ts'
import { convertPage, findPage } from '../serve/markdown.ts'

/** Reads the pages of an unpacked bundle. */
export type DocsReader = ReturnType<typeof openDocsReader>

const searchFolder = '_quire/search'
/** Pages of a bundle that are no pages of its site. */
const noPage = /^(?:_quire|_external)\/|^export-report\.html$|(?:^|\/)index\.htm$/

/** Opens the folder with the files of a bundle. */
export function openDocsReader(files: string) {
  const search = createSearch(createTermReader(), createFileLoader(files))
  let directory: Promise<SearchDirectory | null> | null = null
  let listed: Promise<string[]> | null = null
  const openDirectory = () => {
    directory ??= readIndexFile<SearchDirectory>(files, 'directory')
    return directory
  }

  return {
    /** Returns null if the bundle has no search index. */
    search: async (question: string) => ((await openDirectory()) ? search.find(keepWords(question)) : null),
    /** Lists a part of the pages by path. A page of a bundle without a search index has the title of its head. */
    async list(folder: string, offset: number, limit: number) {
      const known = await openDirectory()
      const titles = new Map(known?.pages.map(([path, name]) => [path, name]))
      if (!known) listed ??= listPages(files)
      const all = (await listed) ?? [...titles.keys()].sort()
      const wanted = folder.replace(/^\/+/, '')
      const paths = all.filter(path => path.startsWith(wanted))
      const pages: { path: string; title: string }[] = []
      for (const path of paths.slice(offset, offset + limit))
        pages.push({ path, title: titles.get(path) ?? (await readTitle(join(files, path))) ?? path })
      return { total: paths.length, pages }
    },
    /** Returns null if there is no such page. */
    async read(page: string) {
      const path = await findNamed(files, page)
      if (path === null) return null
      const own = await readFile(join(files, twinPath(path)), 'utf8').catch(() => null)
      const text = own ?? (await convertPage(files, path))?.toString()
      return text === undefined ? null : { path, text }
    },
  }
}

/** Words that a question has and an answer need not have. */
const small =
  /\b(?:how|what|why|where|when|which|who|can|could|should|does|do|is|are|i|you|we|it|my|to|in|on|of|for|the|a|an|and|with|there)\b/gi

/** Returns the words of a question that tell what it is about. Other texts are words to search already. */
function keepWords(question: string): string {
  if (!/^\s*(?:how|what|why|where|when|which|who|can|could|should|does|do|is|are)\s/i.test(question)) return question
  const words = question.replace(small, ' ').replaceAll('?', ' ').trim()
  return words === '' ? question : words
}

async function listPages(files: string): Promise<string[]> {
  const entries = await readdir(files, { recursive: true, withFileTypes: true })
  const paths = entries.filter(entry => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name))
  const named = paths.map(path => relative(files, path).replaceAll(sep, '/'))
  return named.filter(path => /\.x?html?$/i.test(path) && !noPage.test(path)).sort()
}

async function readTitle(file: string): Promise<string | null> {
  return readPageHead(readRawText(await readFile(file), null)).title
}

/** Finds a page by its path in the bundle, the path of its Markdown, or its address. */
async function findNamed(files: string, page: string): Promise<string | null> {
  const path = page.replace(/^https?:\/\/[^/]*/i, '').replace(/[?#].*$/s, '')
  const bare = `/${path.replace(/^\/+/, '').replace(/\.md$/i, '')}`
  // A path of the bundle is not encoded, and an address is.
  return (await findPage(files, bare.split('/').map(encodeURIComponent).join('/'))) ?? (await findPage(files, bare))
}

/** Reads a file of the search index; null = the bundle has none. */
async function readIndexFile<T>(files: string, name: string): Promise<T | null> {
  const script = await readFile(join(files, searchFolder, `${name}.js`), 'utf8').catch(() => null)
  const [, data] = /^\ufeff?__quireSearch\("\w+",\d+,(.*)\)\s*$/s.exec(script ?? '') ?? []
  return data === undefined ? null : (JSON.parse(data) as T)
}

function createFileLoader(files: string): IndexLoader {
  const load = async (kind: string, number: number) => {
    const data = await readIndexFile(files, kind === 'directory' ? kind : `${kind}-${number}`)
    if (data === null) throw new Error(`The search index of the bundle is damaged: ${kind} ${number} is missing.`)
    return data
  }
  return load as IndexLoader
}
