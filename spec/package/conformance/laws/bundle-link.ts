import { createHash } from 'node:crypto'
import { type Request, readJson } from '../exchange.ts'
import { type Exchange, LawSkipped, type Session } from '../session.ts'
import type { Law } from './law.ts'

/** A 200 of generateStaticExportBundle. */
interface Bundle {
  bundleUrl: string
  sizeBytes: number
  sha256: string
  expiresAt: string
}

const weekMs = 7 * 86_400_000
/** Larger bundles are not downloaded whole. */
const maxDownloadBytes = 64 * 2 ** 20

/** A link works for everybody, for one file, until it expires. */
export const linkLaw: Law = {
  checks: ['link_rules', 'use_after_free'],
  async run(session) {
    const jobId = session.known.exportJob
    if (jobId === undefined) throw new LawSkipped('No export job is completed. Set --export-job, or --domain.')
    const link = await askLink(session, jobId)
    const { bundleUrl, sha256 } = link.bundle
    checkLifetime(session, link)
    const whole = await download(session, link)
    await checkPart(session, link)
    await checkChanged(session, bundleUrl)
    const again = await askLink(session, jobId)
    const sameFault = () => 'A second link is for other bytes: its sha256 differs.'
    session.check('link_rules', again.bundle.sha256 === sha256, sameFault, again.exchange)
    await checkExpiry(session, link)
    if (!whole) {
      const reason = `The bundle is larger than ${maxDownloadBytes} bytes, so its sha256 was not checked.`
      session.recorder.skip('link_rules', reason)
    }
  },
}

interface Link {
  bundle: Bundle
  exchange: Exchange
  askedAt: number
}

async function askLink(session: Session, jobId: string): Promise<Link> {
  const askedAt = Date.now()
  const exchange = await session.ask(session.operations.generateStaticExportBundle, { path: { jobId } })
  const { status } = exchange.answer
  if (status !== 200) throw new LawSkipped(`The bundle of the job ${jobId} gets ${status} instead of 200.`)
  const bundle = (readJson(exchange.answer) ?? {}) as Bundle
  if (typeof bundle.bundleUrl !== 'string' || !URL.canParse(bundle.bundleUrl)) throw new LawSkipped()
  hideLink(session, bundle.bundleUrl)
  return { bundle, exchange, askedAt }
}

/** A link is a secret: who has it can download the bundle. */
function hideLink({ secrets }: Session, bundleUrl: string): void {
  const { pathname, search } = new URL(bundleUrl)
  secrets.add(bundleUrl, 'BUNDLE_URL')
  secrets.add(pathname + search, 'BUNDLE_PATH')
}

function checkLifetime(session: Session, { bundle: { expiresAt }, exchange, askedAt }: Link): void {
  const leftMs = Date.parse(expiresAt) - askedAt
  // The clocks may differ by a minute.
  const isRight = leftMs > -60_000 && leftMs <= weekMs + 60_000
  session.check('link_rules', isRight, () => `expiresAt is ${expiresAt}, which is not within 7 days.`, exchange)
}

/** Sends a request to a link, without a key. */
function ask(
  session: Session,
  url: string,
  { method = 'GET', headers = {} }: Partial<Pick<Request, 'method' | 'headers'>> = {},
): Promise<Exchange> {
  return session.send({ method, target: '', headers }, { url })
}

/** Returns whether the bundle was downloaded. */
async function download(session: Session, { bundle: { bundleUrl, sizeBytes, sha256 } }: Link): Promise<boolean> {
  const head = await ask(session, bundleUrl, { method: 'HEAD' })
  const { status, headers } = head.answer
  session.check('link_rules', status === 200, () => `HEAD of the link gets ${status} instead of 200.`, head)
  const length = headers['content-length']
  const lengthFault = () => `Content-Length is ${length}, and sizeBytes is ${sizeBytes}.`
  session.check('link_rules', length === String(sizeBytes), lengthFault, head)
  if (sizeBytes > maxDownloadBytes) return false
  const whole = await ask(session, bundleUrl)
  const { answer } = whole
  session.check('link_rules', answer.status === 200, () => `The link gets ${answer.status} instead of 200.`, whole)
  if (answer.status !== 200) return true
  const given = createHash('sha256').update(answer.body).digest('hex')
  const isSame = given === sha256 && answer.body.length === sizeBytes
  session.check('link_rules', isSame, () => 'The bundle does not have the bytes that sha256 and sizeBytes name.', whole)
  const { etag } = answer.headers
  session.check('link_rules', etag !== undefined, () => 'The bundle has no ETag.', whole)
  if (etag === undefined) return true
  const unchanged = await ask(session, bundleUrl, { headers: { 'If-None-Match': etag } })
  const fault = () => `If-None-Match gets ${unchanged.answer.status} instead of 304.`
  session.check('link_rules', unchanged.answer.status === 304, fault, unchanged)
  return true
}

async function checkPart(session: Session, { bundle: { bundleUrl, sizeBytes } }: Link): Promise<void> {
  const part = await ask(session, bundleUrl, { headers: { Range: 'bytes=0-0' } })
  const { status, headers, body } = part.answer
  const isPart = status === 206 && body.length === 1 && headers['content-range'] === `bytes 0-0/${sizeBytes}`
  const fault = () => `Range: bytes=0-0 gets ${status} with ${body.length} bytes instead of 206 with one.`
  session.check('link_rules', isPart || sizeBytes === 0, fault, part)
}

/** Changes single characters of the path and the query: a link is for one file until one time. */
async function checkChanged(session: Session, bundleUrl: string): Promise<void> {
  const start = new URL(bundleUrl).origin.length + 1
  const length = bundleUrl.length - start
  for (const share of [0.5, 0.6, 0.7, 0.8, 0.9, 0.999]) {
    const at = start + Math.floor(length * share)
    const char = bundleUrl[at] === '1' ? '2' : '1'
    const changed = bundleUrl.slice(0, at) + char + bundleUrl.slice(at + 1)
    if (changed === bundleUrl) continue
    session.secrets.add(changed, 'CHANGED_URL')
    const exchange = await ask(session, changed)
    const { status } = exchange.answer
    const isRefused = status >= 400 && status < 500
    const fault = () => `The link with another character at position ${at} gets ${status} instead of 403.`
    session.check('link_rules', isRefused, fault, exchange)
  }
}

/** Waits until the link has expired, if that is soon. */
async function checkExpiry(session: Session, { bundle: { bundleUrl, expiresAt } }: Link): Promise<void> {
  const waitMs = Date.parse(expiresAt) - Date.now() + 1500
  const { maxWaitMs } = session.settings
  if (!(waitMs <= maxWaitMs)) {
    const reason = `The link expires in ${Math.ceil(waitMs / 1000)} seconds, and --max-wait is ${maxWaitMs / 1000}.`
    session.recorder.skip('use_after_free', reason)
    return
  }
  await new Promise(done => setTimeout(done, Math.max(0, waitMs)))
  const exchange = await ask(session, bundleUrl)
  const { status } = exchange.answer
  session.check(
    'use_after_free',
    status === 403,
    () => `After expiresAt, the link gets ${status} instead of 403.`,
    exchange,
  )
}
