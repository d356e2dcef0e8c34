import { readJson } from '../exchange.ts'
import { refusals } from '../generate/run-generated.ts'
import type { Operation } from '../operations.ts'
import { type Exchange, LawSkipped, type Session } from '../session.ts'
import { createdIds, listExamples } from './base-requests.ts'
import type { Law } from './law.ts'

// The rules of keys, scopes, methods, unknown ids and isolation are those of all operations: see the other laws.

/** Each extension is called with its examples, before what the run creates is used by the other laws. */
export const extensionLaw: Law = {
  checks: ['positive_data_acceptance'],
  async run(session) {
    const { operations, extensions, known, settings } = session
    if (extensions.length === 0) return
    known.created.id = `kit-${session.nonce}`
    const started = await session.ask(operations.startStaticExportJob, { body: { domain: settings.domain } })
    keepId(session, 'jobId', started)
    // A report and a webhook are there before they are read.
    for (const method of ['PUT', 'POST', 'GET']) {
      for (const operation of extensions.filter(other => other.method === method))
        await callWithExamples(session, operation)
    }
    for (const id of known.startedRuns) await followRun(session, id)
  },
}

/** What is asked about an agent job, in this order. It is cancelled before it has cost much, also after a message to the agent. */
const ofRuns = [
  'cancelAgentJob',
  'sendAgentMessage',
  'cancelAgentJob',
  'getAgentRun',
  'getAgentChange',
  'listAgentEvents',
] as const

async function followRun(session: Session, id: string): Promise<void> {
  const path = { projectId: encodeURIComponent(session.settings.project), id: encodeURIComponent(id) }
  for (const operation of ofRuns.flatMap(name => session.extensions.filter(other => other.id === name))) {
    for (const mediaType of operation.responses.get(200)?.content.keys() ?? ['application/json']) {
      for (const example of listExamples(operation))
        await session.ask(operation, { ...example, path, headers: { Accept: mediaType } })
    }
  }
}

/** Deletes what the run created. */
export const deletionLaw: Law = {
  checks: ['positive_data_acceptance'],
  async run(session) {
    for (const operation of session.extensions.filter(({ method }) => method === 'DELETE')) {
      await callWithExamples(session, operation)
    }
  },
}

async function callWithExamples(session: Session, operation: Operation): Promise<void> {
  for (const example of listExamples(operation)) {
    const query = writeQuery(operation)
    const exchange = await session.ask(operation, { ...example, query, path: createdIds(session, operation) })
    const { status } = exchange.answer
    const fault = () => `The example of the document is refused with ${status}.`
    session.check('positive_data_acceptance', !refusals.includes(status), fault, exchange)
    if (operation.id === 'createWebhook') keepId(session, 'webhookId', exchange)
    const isRun = status === 202 && ['startAgentJob', 'startEarlierAgentJob'].includes(operation.id)
    const { id } = (readJson(exchange.answer) ?? {}) as { id?: unknown }
    if (isRun && typeof id === 'string') session.known.startedRuns.push(id)
  }
}

/** Settings of a log need not fit the lines of each example, and a cursor is of an earlier answer. */
function writeQuery({ parameters, texts }: Operation): string {
  const inQuery = parameters.filter(({ in: place, name }) => place === 'query' && name !== 'cursor')
  const sent = texts.length > 0 ? [] : inQuery.filter(({ example }) => example !== undefined)
  return sent.map(({ name, example }) => `${name}=${encodeURIComponent(String(example))}`).join('&')
}

function keepId({ known }: Session, name: string, { answer }: Exchange): void {
  const body = (readJson(answer) ?? {}) as Record<string, unknown>
  const id = body[name] ?? body.id
  if (answer.status < 300 && typeof id === 'string') known.created[name] = id
}

/** The next page of a list begins after the page before. */
export const cursorLaw: Law = {
  checks: ['pagination'],
  async run(session) {
    for (const operation of session.extensions.filter(({ parameters }) =>
      parameters.some(({ name }) => name === 'cursor'),
    )) {
      const path = createdIds(session, operation)
      const first = await session.ask(operation, { path, query: 'limit=1' })
      const { rows, nextCursor } = readPage(first)
      session.check('pagination', rows.length <= 1, () => `limit=1 gets ${rows.length} rows.`, first)
      if (typeof nextCursor !== 'string') continue
      const next = await session.ask(operation, { path, query: `limit=1&cursor=${encodeURIComponent(nextCursor)}` })
      const isOther = next.answer.status === 200 && !readPage(next).rows.some(row => rows.includes(row))
      session.check(
        'pagination',
        isOther,
        () => 'The page of nextCursor repeats a row of the page before, or is refused.',
        next,
      )
    }
  },
}

function readPage({ answer }: Exchange): { rows: string[]; nextCursor: unknown } {
  if (answer.status !== 200) throw new LawSkipped()
  const { nextCursor, ...lists } = (readJson(answer) ?? {}) as Record<string, unknown>
  const rows = Object.values(lists).flatMap(list => (Array.isArray(list) ? list : []))
  return { rows: rows.map(row => JSON.stringify(row)), nextCursor }
}
