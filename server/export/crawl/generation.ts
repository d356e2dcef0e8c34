import { isRouteKey, routePlace } from '../model/fragment-route.ts'
import { type Candidate, sortTargets } from './candidate.ts'
import type { VisitContext } from './fetch-page.ts'
import type { Frontier } from './frontier.ts'
import type { FetchedPage, PageCompleter } from './page-completer.ts'
import { gaveNothing, softMissing } from './page-outcomes.ts'
import { createSlashHabit, type SlashHabit } from './slash-habit.ts'
import { visitPage } from './visit-page.ts'

/** Visits the pages of one generation at once. */
export interface GenerationVisitor {
  visit(batch: readonly Candidate[]): Promise<void>
}

interface GenerationOptions {
  context: VisitContext
  frontier: Pick<Frontier, 'add' | 'retry'>
  completer: Pick<PageCompleter, 'complete' | 'renderRoute'>
  keep(page: FetchedPage): void
  /** Called after each visit, successful or not. */
  onVisited(): void
}

interface Visits extends GenerationOptions {
  slashes: SlashHabit
  /** Whether this is the first generation: the pages that the site itself lists. Their spellings keep their order. */
  isFirst: boolean
}

export function createGenerationVisitor(options: GenerationOptions): GenerationVisitor {
  const visits: Visits = { ...options, slashes: createSlashHabit(), isFirst: true }
  return { visit: batch => visitGeneration(visits, batch) }
}

async function visitGeneration(visits: Visits, batch: readonly Candidate[]): Promise<void> {
  const { slashes } = visits
  const plain = batch.filter(({ key }) => !isRouteKey(key))
  const routes = batch.filter(({ key }) => isRouteKey(key))
  const asked = new Map<Candidate, Visited>()
  const ask = (candidate: Candidate) => {
    const answer = asked.get(candidate) ?? askFor(visits, candidate)
    asked.set(candidate, answer)
    return answer
  }
  await Promise.all(slashes.probe(plain).map(ask))
  slashes.learn()
  await Promise.all([
    ...plain.map(candidate => finishVisit(visits, candidate, ask(candidate))),
    ...routes.map(candidate => visitRoute(visits, candidate)),
  ])
  visits.isFirst = false
  slashes.learn()
}

type Visited = Promise<FetchedPage | null | undefined>

/** Visits a page. Returns undefined if the page is already known, for example as the target of a redirect. */
async function askFor({ context, slashes, isFirst }: Visits, candidate: Candidate): Visited {
  const { tools, found } = context
  const known = found.pages.get(candidate.key)
  if (known && !gaveNothing(known)) return undefined
  if (!isFirst) sortTargets(candidate)
  slashes.apply(candidate)
  const page = await tools.queue.add(() => visitPage(context, candidate))
  const asked = candidate.targets[candidate.tried - 1]
  if (page && asked !== undefined) slashes.note(new URL(asked), page.resource.url)
  return page
}

async function finishVisit(visits: Visits, candidate: Candidate, asked: Visited): Promise<void> {
  const { context, frontier, completer } = visits
  const page = await asked
  if (page === undefined) return
  if (page === null) frontier.retry(candidate)
  // Runs outside the queue, because the browser needs the queue for the requests of the page.
  const completed = page && (await completer.complete(page))
  if (completed) visits.keep(completed)
  else if (page) context.found.pages.set(page.resource.key, softMissing)
  visits.onVisited()
}

async function visitRoute({ context, frontier, completer, keep, onVisited }: Visits, { key }: Candidate) {
  const shown = await completer.renderRoute(key)
  if ('content' in shown) keep(shown)
  else context.found.pages.set(key, shown)
  if ('to' in shown && isRouteKey(shown.to)) frontier.add(shown.to, routePlace(shown.to))
  onVisited()
}
