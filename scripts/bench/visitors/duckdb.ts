import { closeSync, openSync, statSync, writeFileSync, writeSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { runMeasured } from '../export/measured-run.ts'
import { type AskedProcess, startAsked } from './asked-process.ts'
import { explainEnd, type ImportFigures, toImportFigures } from './import-figures.ts'
import type { Truth } from './truth.ts'

/** Variants of the query. Both are run, because the faster one depends on the range. */
const duckDbQueries = ['count-distinct', 'group-by'] as const
export type DuckDbQuery = (typeof duckDbQueries)[number]

export interface DuckDb {
  file: string
  load: ImportFigures & { storedBytes: number }
  /** One process for each variant of the query. */
  start(): AskedProcess[]
}

/** Loads the visits into a DuckDB database, without duplicates. A visitor takes 4 bytes there, and 16 bytes in Quire. */
export async function openDuckDb(truth: Truth, paths: readonly string[], scratch: string): Promise<DuckDb> {
  const file = join(scratch, 'visits.duckdb')
  const [visits, pages] = [join(scratch, 'visits.csv'), join(scratch, 'pages.csv')]
  const rows = writeRows(truth, visits)
  writeFileSync(pages, paths.map((path, page) => `${page},${path}\n`).join(''))
  const args = [join(import.meta.dirname, 'load-duckdb.ts'), JSON.stringify({ file, visits, pages })]
  const logFile = join(scratch, 'duckdb.log')
  const run = await runMeasured(process.execPath, args, { logFile, timeoutMs: 24 * 3_600_000, folder: scratch })
  if (run.exitCode !== 0) throw await explainEnd('load-duckdb.ts', run, logFile)
  await rm(visits)
  return {
    file,
    load: { ...toImportFigures(run, rows), storedBytes: statSync(file).size },
    start: () => duckDbQueries.map(query => startAsked('answer-duckdb.ts', { file, query })),
  }
}

/** Writes the table of visits as CSV: visitor, page, day, mask. */
function writeRows(truth: Truth, file: string): number {
  const csv = openSync(file, 'w')
  let text = ''
  let rows = 0
  truth.forEach((visitor, page, day, mask) => {
    text += `${visitor},${page},${day},${mask}\n`
    rows++
    if (text.length < 1 << 20) return
    writeSync(csv, text)
    text = ''
  })
  writeSync(csv, text)
  closeSync(csv)
  return rows
}
