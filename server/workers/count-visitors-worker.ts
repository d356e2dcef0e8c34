import { parentPort, workerData } from 'node:worker_threads'
import { UnusableVisitsError } from '../analytics/unusable-visits.ts'
import { csvHead, toCsvLine } from '../analytics/visitors-csv.ts'
import type { RankedPages } from '../store/visits/visit-reader.ts'
import { openVisitFiles } from '../store/visits/visits.ts'
import type { CountsAnswer, CountsAnswers, CountsQuestion, CountsSetup } from './count-visitors.ts'

/** About 80 KB, in 2 to 4 ms. Other questions wait for one part of a CSV, and not for all of it. */
const pagesPerPart = 1000

interface OpenCsv {
  projectId: string
  ranked: RankedPages
  next: number
}

const { dataFolder } = workerData as CountsSetup

const visits = openVisitFiles(dataFolder)
const encoder = new TextEncoder()
const csvs = new Map<number, OpenCsv>()
parentPort?.on('message', ({ number, ...question }: CountsQuestion & { number: number }) => {
  try {
    send({ number, value: answer(question) })
  } catch (error) {
    send({ number, ...describeFault(error as Error, question) })
  }
})

function send(message: CountsAnswer): void {
  const { value } = message as { value?: unknown }
  parentPort?.postMessage(message, value instanceof Uint8Array ? [value.buffer as ArrayBuffer] : [])
}

function answer(question: CountsQuestion): CountsAnswers[CountsQuestion['ask']] {
  switch (question.ask) {
    case 'revision':
      return visits.findRevision(question.projectId)
    case 'counts':
      return visits.countAtRevision(question.projectId, question.range, question.page)
    case 'open csv': {
      const { projectId, range, csv } = question
      const ranked = visits.rankPages(projectId, range)
      csvs.set(csv, { projectId, ranked, next: 0 })
      return { revision: ranked.revision, totals: ranked.totals }
    }
    case 'read csv':
      return readCsv(question.csv)
    case 'close csv':
      csvs.delete(question.csv)
      return undefined
  }
}

/** Returns the next part of a CSV; undefined at its end. */
function readCsv(csv: number): Uint8Array | undefined {
  const open = csvs.get(csv)
  if (!open) throw new Error('The CSV was closed.')
  const { projectId, ranked, next } = open
  const isFirst = next === 0
  if (!isFirst && next >= ranked.pages.numbers.length) {
    csvs.delete(csv)
    return undefined
  }
  open.next = next + pagesPerPart
  let text = isFirst ? csvHead : ''
  for (const page of visits.nameAll(projectId, ranked, next, open.next)) text += toCsvLine(page)
  return encoder.encode(text)
}

/** Copies the error, because messages between threads cannot contain SQLite's errors. */
function describeFault(error: Error, question: CountsQuestion): { error: Error; isUnusable: boolean } {
  const { message, stack, code } = error as Error & { code?: unknown }
  const isDamaged = /^SQLITE_(CORRUPT|NOTADB)/.test(String(code))
  const projectId = 'projectId' in question ? question.projectId : csvs.get(question.csv)?.projectId
  const text = isDamaged
    ? `The database of the visits of ${projectId} is damaged (${message}). Stop the server, and restore visits/${projectId}.db from a backup.`
    : message
  return {
    error: Object.assign(new Error(text), { stack }),
    isUnusable: isDamaged || error instanceof UnusableVisitsError,
  }
}
