import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import { gzipSync } from 'node:zlib'
import type { Browser } from 'puppeteer'
import { searchFolder, searchScriptPath } from '../../../server/export/model/search-files.ts'
import type { IndexFile } from '../../../server/export/search/search-index.ts'
import { type Corpus, readMarkdownCorpus, readPythonCorpus } from './corpora.ts'
import { engines } from './engines.ts'
import type { PackedEngine } from './packed-engine.ts'
import { type Answer, rankAnswer } from './quality.ts'
import { askAll, type FirstHit, measureFirstHit } from './visit.ts'

/** Size uncompressed, and with each file compressed with gzip. */
export interface Size {
  files: number
  bytes: number
  gzipBytes: number
}

export interface EngineResult {
  engine: string
  /** CPU time of building the index, in milliseconds. */
  buildCpuMs: number
  /** The script that every page loads, with the dialog. */
  script: Size
  /** The search code of this script without the dialog, minified. */
  engineCode: Size
  /** Without texts. */
  index: Size
  texts: Size
  firstHits: FirstHit[]
  /** In milliseconds, one for each question. */
  answerMs: number[]
  answers: Answer[]
  heldOutAnswers: Answer[]
}

export interface CorpusResult {
  name: string
  pages: number
  sections: number
  results: EngineResult[]
}

interface Prepared {
  address: string
  root: string
  result: EngineResult
}

/** Builds the indexes of both corpora with every engine in `scratch`, and asks each engine in the browser. */
export async function runSearchBench(options: {
  browser: Browser
  cacheFolder: string
  scratch: string
  rounds: number
  say(text: string): void
}): Promise<CorpusResult[]> {
  const { browser, cacheFolder, scratch, rounds, say } = options
  const results: CorpusResult[] = []
  for (const [number, read] of [readPythonCorpus, readMarkdownCorpus].entries()) {
    const corpus = await read(cacheFolder)
    say(`Searching ${corpus.name} ...`)
    const prepared: Prepared[] = []
    for (const [index, engine] of engines.entries()) {
      const before = process.cpuUsage()
      const packed = await engine.pack(corpus.pages)
      const { user, system } = process.cpuUsage(before)
      const folder = join(scratch, `${number}-${index}`)
      prepared.push(await prepare(engine.name, packed, corpus, folder, (user + system) / 1000))
    }
    for (let round = 0; round < rounds; round += 1) {
      for (let turn = 0; turn < prepared.length; turn += 1) {
        const { address, result } = prepared[(round + turn) % prepared.length] as Prepared
        result.firstHits.push(await measureFirstHit(browser, address, corpus.firstQuestion))
      }
    }
    for (const { address, root, result } of prepared) {
      const questions = [...corpus.questions, ...corpus.heldOut]
      const asked = await askAll(
        browser,
        address,
        questions.map(({ question }) => question),
      )
      result.answerMs = asked.map(({ ms }) => ms)
      const answers = questions.map((question, at) => rankAnswer(question, toPaths(asked[at]?.links ?? [], root)))
      result.answers = answers.slice(0, corpus.questions.length)
      result.heldOutAnswers = answers.slice(corpus.questions.length)
    }
    results.push({
      name: corpus.name,
      pages: corpus.pages.length,
      sections: corpus.pages.reduce((sum, { sections }) => sum + sections.sections.length, 0),
      results: prepared.map(({ result }) => result),
    })
  }
  return results
}

/** Writes the page to open, and the files of the search. */
async function prepare(
  engine: string,
  packed: PackedEngine,
  corpus: Corpus,
  folder: string,
  buildCpuMs: number,
): Promise<Prepared> {
  const script = { name: searchScriptPath, content: packed.script }
  const page = join(folder, corpus.start)
  await mkdir(join(folder, searchFolder), { recursive: true })
  await mkdir(dirname(page), { recursive: true })
  await writeFile(join(folder, script.name), script.content)
  for (const { name, content } of [...packed.index, ...packed.texts])
    await writeFile(join(folder, searchFolder, name), content)
  const source = relative(dirname(corpus.start), searchScriptPath)
  const html = corpus.startHtml
    .replace(/<script[\s>][\s\S]*?<\/script>/gi, '')
    .replace('</head>', `<script src="${source}" defer></script></head>`)
  await writeFile(page, html)
  return {
    address: pathToFileURL(page).href,
    root: `${pathToFileURL(folder).href}/`,
    result: {
      engine,
      buildCpuMs,
      script: measure([script]),
      engineCode: measure([{ name: 'engine.js', content: packed.engineCode }]),
      index: measure(packed.index),
      texts: measure(packed.texts),
      firstHits: [],
      answerMs: [],
      answers: [],
      heldOutAnswers: [],
    },
  }
}

function measure(files: readonly IndexFile[]): Size {
  const buffers = files.map(({ content }) => Buffer.from(content))
  const sum = (sizes: number[]) => sizes.reduce((total, size) => total + size, 0)
  return {
    files: files.length,
    bytes: sum(buffers.map(({ length }) => length)),
    gzipBytes: sum(buffers.map(buffer => gzipSync(buffer).length)),
  }
}

function toPaths(links: readonly string[], root: string): string[] {
  return links.map(link => decodeURIComponent(link.replace(/#.*$/, '').slice(root.length)))
}
