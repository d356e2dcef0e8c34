import { parentPort, workerData } from 'node:worker_threads'
import { readProjectReaders } from '../analytics/report/project-readers.ts'
import { viewReport, writePageFile, writeReportFile } from '../analytics/report/report-view.ts'
import { UnusableVisitsError } from '../analytics/unusable-visits.ts'
import { csvHead, toCsvLine } from '../analytics/visitors-csv.ts'
import { UnavailableError } from '../base/unavailable-error.ts'
import type { CountedVisits } from '../store/visits/counted-visits.ts'
import type { RankedPages } from '../store/visits/visit-reader.ts'
import type { CountsAnswer, CountsAnswers, CountsFault, CountsQuestion, CountsSetup } from './count-visitors.ts'

/** About 80 KB, in 2 to 4 ms. Other questions wait for one part of a CSV, and not for all of it. */
const pagesPerPart = 1000

/** A file that is read part by part. */
interface OpenFile {
  projectId: string
  parts: AsyncIterator<string, unknown>
}

const opening = openVisits(workerData as CountsSetup)
const encoder = new TextEncoder()
const files = new Map<number, OpenFile>()
parentPort?.on('message', async ({ number, ...question }: CountsQuestion & { number: number }) => {
  try {
    send({ number, value: await answer(question) })
  } catch (error) {
    send({ number, ...describeFault(error as Error, question) })
  }
})

/** Loads only the store that is used. */
async function openVisits(setup: CountsSetup): Promise<CountedVisits> {
  if ('dataFolder' in setup) return (await import('../store/visits/visits.ts')).openVisitFiles(setup.dataFolder)
  return (await import('../store/postgres/visits/open-counted-visits.ts')).openCountedVisits(setup.database)
}

function send(message: CountsAnswer): void {
  const { value } = message as { value?: unknown }
  parentPort?.postMessage(message, value instanceof Uint8Array ? [value.buffer as ArrayBuffer] : [])
}

async function answer(question: CountsQuestion): Promise<CountsAnswers[CountsQuestion['ask']]> {
  const visits = await opening
  switch (question.ask) {
    case 'revision':
      return visits.findRevision(question.projectId)
    case 'counts':
      return visits.countAtRevision(question.projectId, question.range, question.page)
    case 'totals':
      return visits.countTotals(question.projectId, question.ranges)
    case 'report':
      return viewReport(visits, question)
    case 'readers':
      return readProjectReaders(visits, question.projectId, question.today)
    case 'open csv': {
      const { projectId, range, file } = question
      const ranked = await visits.rankPages(projectId, range)
      files.set(file, { projectId, parts: writeCsv(visits, projectId, ranked) })
      return { revision: ranked.revision, totals: ranked.totals }
    }
    case 'open report': {
      const { projectId, file } = question
      files.set(file, { projectId, parts: await writeReportFile(visits, question) })
      return undefined
    }
    case 'open pages': {
      const { projectId, file } = question
      files.set(file, { projectId, parts: await writePageFile(visits, question) })
      return undefined
    }
    case 'read file':
      return readPart(question.file)
    case 'close file':
      files.delete(question.file)
      return undefined
  }
}

/** Returns the next part of a file; undefined at its end. */
async function readPart(file: number): Promise<Uint8Array | undefined> {
  const open = files.get(file)
  if (!open) throw new Error('The file was closed.')
  const { done, value } = await open.parts.next()
  if (!done) return encoder.encode(value)
  files.delete(file)
  return undefined
}

async function* writeCsv(visits: CountedVisits, projectId: string, ranked: RankedPages): AsyncGenerator<string> {
  for (let from = 0; from === 0 || from < ranked.pages.numbers.length; from += pagesPerPart) {
    let text = from === 0 ? csvHead : ''
    for (const page of await visits.nameAll(projectId, ranked, from, from + pagesPerPart)) text += toCsvLine(page)
    yield text
  }
}

/** Copies the error, because messages between threads cannot contain every error. */
function describeFault(error: Error, question: CountsQuestion): { error: Error; fault: CountsFault } {
  const { message, stack, code } = error as Error & { code?: unknown }
  const isDamaged = /^SQLITE_(CORRUPT|NOTADB)/.test(String(code))
  const projectId = 'projectId' in question ? question.projectId : files.get(question.file)?.projectId
  const text = isDamaged
    ? `The database of the visits of ${projectId} is damaged (${message}). Stop the server, and restore visits/${projectId}.db from a backup.`
    : message
  return { error: Object.assign(new Error(text), { stack }), fault: findFault(error, isDamaged) }
}

function findFault(error: Error, isDamaged: boolean): CountsFault {
  if (error instanceof UnavailableError) return { reason: error.reason, code: error.code }
  return isDamaged || error instanceof UnusableVisitsError ? 'unusable' : null
}
