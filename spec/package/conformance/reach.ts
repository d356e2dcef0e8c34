import { ExchangeError, readJson, readMediaType, type Send } from './exchange.ts'
import type { Operation } from './operations.ts'
import { LawSkipped, RunStopped, type Session } from './session.ts'

/**
 * Asks the server once, and finds out which of the ids it knows.
 *
 * @throws {RunStopped} if it is not a server of this API, or refuses the key: a sentence that says what to change
 */
export async function reachServer(session: Session, send: Send): Promise<void> {
  const { settings, operations } = session
  const authorization = `Bearer ${settings.key}`
  const target = operations.getStaticExportJob.path.replaceAll(/\{\w+\}/g, settings.exportJob ?? 'kit-unknown')
  const requestId = `kit-${session.nonce}-0`
  const answer = await send({
    method: 'GET',
    target,
    headers: { Authorization: authorization, 'X-Request-Id': requestId },
  }).catch((error: unknown) => {
    if (!(error instanceof ExchangeError)) throw error
    throw stop(`${error.message} Check --url.`, error.requestId)
  })
  const { status, headers, body } = answer
  const id = headers['x-request-id']
  if (status >= 300 && status < 400) {
    throw stop(`The server redirects to ${headers.location}. Set --url to where the API itself answers.`, id)
  }
  const mediaType = readMediaType(answer) || 'no Content-Type'
  if (readJson(answer) === undefined) {
    const reason = /json/.test(mediaType)
      ? `a body of ${body.length} bytes that is not JSON`
      : `${mediaType} and not JSON`
    throw stop(`The server answered ${status} with ${reason}. Check --url.`, id)
  }
  if (status === 401) throw stop('The server does not accept the key (401). Check --key.', id)
  await findKnown(session)
  if (await isElsewhere(session, status)) {
    throw stop(
      `The server answered ${status} to every operation, also to ${locate(settings.url, target)}. Set --url to where /v1 and /v2 begin.`,
      id,
    )
  }

  function stop(sentence: string, given: string | undefined): RunStopped {
    const shown = given === undefined ? '' : ` Request id: ${given}`
    return new RunStopped(session.secrets.mask(`${sentence}${shown}`))
  }
}

function locate(url: string, target: string): string {
  return `${url.replace(/\/+$/, '')}${target}`
}

/**
 * Whether the API is somewhere else: all operations get the same answer. An API that knows none of the ids also answers 404 to each
 * GET, so a start without a body field decides, to which it answers 400 or 403.
 */
async function isElsewhere(session: Session, first: number): Promise<boolean> {
  const { getAgentJob, getUniqueVisitors, startStaticExportJob } = session.operations
  const isAlike = [getAgentJob, getUniqueVisitors].every(({ id }) => {
    const [status, ...others] = session.statuses.get(id)?.keys() ?? []
    return status === first && others.length === 0
  })
  if (!isAlike) return false
  try {
    const { status } = (await session.ask(startStaticExportJob, { body: {} })).answer
    return status === first || (first === 404 && status === 405)
  } catch (error) {
    if (error instanceof LawSkipped) return false
    throw error
  }
}

/** Finds out which ids of the settings the server knows. */
async function findKnown(session: Session): Promise<void> {
  const { settings, operations, known } = session
  known.agentJob = await isKnown(session, operations.getAgentJob)
  known.project = await isKnown(session, operations.getUniqueVisitors)
  if (settings.exportJob === undefined) return
  if (await isKnown(session, operations.generateStaticExportBundle)) known.exportJob = settings.exportJob
}

async function isKnown(session: Session, operation: Operation): Promise<boolean> {
  try {
    return (await session.ask(operation, {})).answer.status === 200
  } catch (error) {
    if (error instanceof LawSkipped) return false
    throw error
  }
}
