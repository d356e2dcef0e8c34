// Answers questions as getUniqueVisitors does, without HTTP.
import { openStore } from '../../../server/store/store.ts'
import { answerQuestions, readSettings } from './asked-process.ts'

const { data, projectId } = readSettings<{ data: string; projectId: string }>()
const store = openStore(data)
process.on('exit', () => store.close())
answerQuestions(async ({ range, ...page }) => {
  const days = { dateFrom: range.from, dateTo: range.to }
  const { totals, visitors, hasMore } = await store.visits.countUniqueVisitors(projectId, days, page)
  return {
    site: [totals.human, totals.ai, totals.total],
    pages: visitors.map(({ path, human, ai, total }) => ({ path, counts: [human, ai, total] })),
    hasMore,
  }
})
