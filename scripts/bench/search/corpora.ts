import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { marked } from 'marked'
import { type PageSections, readPageSections } from '../../../server/export/search/page-sections.ts'
import { listFiles, listMarkdown, prepareMarkdown } from '../export/markdown.ts'
import { pythonSite } from '../export/site-python.ts'
import { markdownHeldOut, pythonHeldOut } from './held-out-questions.ts'
import { markdownQuestions, pythonQuestions, type Question } from './questions.ts'

/** A set of documents, and the questions about it. */
export interface Corpus {
  name: string
  /** In the order of their paths. */
  pages: CorpusPage[]
  questions: readonly Question[]
  /** The second set of questions. No option depends on it. */
  heldOut: readonly Question[]
  /** Path of the page on which the search is opened. */
  start: string
  /** The HTML of that page. */
  startHtml: string
  /** The question for measuring the first hit. */
  firstQuestion: string
}

export interface CorpusPage {
  path: string
  sections: PageSections
}

export async function readPythonCorpus(cacheFolder: string): Promise<Corpus> {
  const { folder } = await pythonSite.prepare(cacheFolder)
  const htmlOf = (path: string) => readFile(join(folder, path), 'utf8')
  return {
    name: pythonSite.description,
    pages: await readPages(listFiles(folder, '.html'), htmlOf),
    questions: pythonQuestions,
    heldOut: pythonHeldOut,
    start: 'index.html',
    startHtml: await htmlOf('index.html'),
    firstQuestion: 'asyncio.gather',
  }
}

export async function readMarkdownCorpus(cacheFolder: string): Promise<Corpus> {
  const folder = await prepareMarkdown(cacheFolder)
  const htmlOf = async (path: string) => toPage(path, await readFile(join(folder, path.replace(/html$/, 'md')), 'utf8'))
  const paths = listMarkdown(folder).map(path => path.replace(/md$/, 'html'))
  return {
    name: 'documents of fastify, undici and npm',
    pages: await readPages(paths, htmlOf),
    questions: markdownQuestions,
    heldOut: markdownHeldOut,
    start: 'fastify/index.html',
    startHtml: await htmlOf('fastify/index.html'),
    firstQuestion: 'setErrorHandler',
  }
}

async function readPages(paths: readonly string[], htmlOf: (path: string) => Promise<string>): Promise<CorpusPage[]> {
  const pages: CorpusPage[] = []
  for (const path of [...paths].sort()) {
    // Raw text has one character for each byte.
    const text = Buffer.from(await htmlOf(path)).toString('latin1')
    pages.push({ path, sections: readPageSections({ text, charset: 'utf-8' }) })
  }
  return pages
}

/** Converts a Markdown document to a plain page. Adds ids to the headings, and takes the title from the front matter. */
export function toPage(path: string, markdown: string): string {
  const [, head = '', body = markdown] = /^---\r?\n([\s\S]*?)\r?\n---\r?\n([\s\S]*)$/.exec(markdown) ?? []
  const title = /^title:\s*["']?(.*?)["']?\s*$/m.exec(head)?.[1] ?? ''
  let ids = 0
  const html = marked.parse(body, { async: false }).replace(/<h([2-6])>/g, (_, level) => `<h${level} id="h${++ids}">`)
  const heading = title !== '' && !/<h1[ >]/.test(html) ? `<h1>${title}</h1>` : ''
  const name = title || path.replace(/^.*\/|\.html$/g, '')
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${name}</title></head><body><main>${heading}${html}</main></body></html>`
}
