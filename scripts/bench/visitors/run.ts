import { join } from 'node:path'
import { createData } from '../http/data.ts'
import type { Results } from './goals.ts'
import { measureHttp } from './http-part.ts'
import { measureImport } from './import-part.ts'
import type { Plan } from './plan.ts'
import { measureVisits } from './visits-part.ts'

const agentJobs = 1000

/** Runs all parts one after the other; their files stay in `scratch`. */
export async function runPlan(plan: Plan, scratch: string, onProgress: (text: string) => void): Promise<Results> {
  const log = join(scratch, 'access.log')
  const imported = plan.lines > 0 ? await runImport(plan, { log, scratch, onProgress }) : undefined
  const data = join(scratch, 'visits')
  const bench = await createData(data, agentJobs)
  const { visits, exams } = await measureVisits(plan, { data, bench, scratch, onProgress })
  const written = imported && { log: { file: log, lines: imported.log.lines } }
  const http = await measureHttp({ data, bench, exams, ...written, scratch, onProgress })
  return { ...(imported && { import: imported }), visits, http }
}

async function runImport(
  plan: Plan,
  { log, scratch, onProgress }: { log: string; scratch: string; onProgress(text: string): void },
) {
  const data = join(scratch, 'imported')
  const bench = await createData(data, 1)
  return measureImport(plan, { data, bench, log, scratch, onProgress })
}
