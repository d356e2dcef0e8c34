import { readJson } from '../exchange.ts'
import { type Exchange, LawSkipped, type Session } from '../session.ts'
import type { Law } from './law.ts'

/** A 200 of getStaticExportJob. */
export interface Job {
  jobId: string
  status: string
  progress: number
  pageCount: number
  createdAt: string
  updatedAt: string
  error: string | null
}

/** An export is started once, can be read, and goes forward only. It is the job whose bundle is checked later. */
export const exportLaw: Law = {
  checks: ['idempotency', 'ensure_resource_availability', 'export_progress'],
  async run(session) {
    const { settings, nonce, operations } = session
    const start = (key: string, body: object) =>
      session.ask(operations.startStaticExportJob, { body, headers: { 'Idempotency-Key': `${nonce}-${key}` } })
    const first = await start('export', { domain: settings.domain })
    const job = readStarted(session, first)
    session.known.domain = true
    checkReplay(session, first, { jobId: job.jobId, isReplay: false })
    await checkAvailable(session, first, job)
    checkReplay(session, await start('export', { domain: settings.domain }), { jobId: job.jobId, isReplay: true })
    const other = await start('export', { domain: settings.domain, format: 'tar.gz' })
    const otherFault = () => `The same Idempotency-Key with another body gets ${other.answer.status} instead of 409.`
    session.check('idempotency', other.answer.status === 409, otherFault, other)
    await checkEarlyBundle(session, job.jobId)
    const ended = await follow(session, job)
    if (ended.status === 'completed') session.known.exportJob ??= ended.jobId
    if (ended.status !== 'failed') return
    const bundle = await session.ask(operations.generateStaticExportBundle, { path: { jobId: job.jobId } })
    const { status } = bundle.answer
    session.check('export_progress', status === 409, () => `The bundle of a failed job gets ${status}.`, bundle)
  },
}

function readStarted({ settings }: Session, { answer }: Exchange): Job {
  const { status } = answer
  if (status === 400) throw new LawSkipped(`The site ${settings.domain} is not registered. Set --domain.`)
  if (status === 403)
    throw new LawSkipped('The key may not start exports: it needs the scope write and the enterprise plan.')
  if (status === 429) throw new LawSkipped('The queue of the organization is full. Wait until its exports have ended.')
  if (status !== 202) throw new LawSkipped(`The start of an export answered ${status} instead of 202.`)
  return readJob(answer)
}

function readJob(answer: Exchange['answer']): Job {
  const job = readJson(answer) as Job | undefined
  // The comparison with the schema has failed already.
  if (typeof job?.jobId !== 'string') throw new LawSkipped()
  return job
}

function checkReplay(session: Session, exchange: Exchange, want: { jobId: string; isReplay: boolean }): void {
  const { status, headers } = exchange.answer
  const statusFault = () => `The same Idempotency-Key and body get ${status} instead of 202.`
  session.check('idempotency', status === 202, statusFault, exchange)
  if (status !== 202) return
  const { jobId } = readJob(exchange.answer)
  const jobFault = () => 'The same Idempotency-Key and body start another job.'
  session.check('idempotency', jobId === want.jobId, jobFault, exchange)
  const isMarked = headers['idempotency-replayed'] === 'true'
  const markFault = () =>
    isMarked ? 'A first start has Idempotency-Replayed.' : 'A repeated start lacks Idempotency-Replayed.'
  session.check('idempotency', isMarked === want.isReplay, markFault, exchange)
}

async function checkAvailable(session: Session, start: Exchange, job: Job): Promise<void> {
  const read = await session.ask(session.operations.getStaticExportJob, { path: { jobId: job.jobId } })
  const { status } = read.answer
  const fault = () => `A job that was started gets ${status} when it is read.`
  session.check('ensure_resource_availability', status === 200, fault, read)
  if (status !== 200) throw new LawSkipped()
  const found = readJob(read.answer)
  const isSame = found.jobId === job.jobId && found.createdAt === job.createdAt
  session.check(
    'ensure_resource_availability',
    isSame,
    () => 'Another job is read than the one that was started.',
    read,
  )
  const location = start.answer.headers.location ?? ''
  const url = URL.canParse(location, 'http://host.invalid') ? new URL(location, 'http://host.invalid') : undefined
  const isRight = url?.pathname.endsWith(`/v1/static-export/jobs/${job.jobId}`) ?? false
  const locationFault = () =>
    location === '' ? 'Location is missing.' : `Location is ${location}, which is not the path of the job.`
  session.check('ensure_resource_availability', isRight, locationFault, start)
}

/** Asks for the bundle before the job has ended. */
async function checkEarlyBundle(session: Session, jobId: string): Promise<void> {
  const bundle = await session.ask(session.operations.generateStaticExportBundle, { path: { jobId } })
  const read = await session.ask(session.operations.getStaticExportJob, { path: { jobId } })
  const job = readJob(read.answer)
  const { status } = bundle.answer
  // The job may have ended in between.
  const isRight = status === 409 || (status === 200 && job.status === 'completed')
  const fault = () => `The bundle of a job that is ${job.status} gets ${status} instead of 409.`
  session.check('export_progress', isRight, fault, bundle)
}

/** Polls the job until it ends, and compares each state with the one before. */
async function follow(session: Session, started: Job): Promise<Job> {
  const endsAt = Date.now() + session.settings.maxWaitMs
  let before = started
  for (let waitMs = 100; ; waitMs = Math.min(waitMs * 1.5, 5000)) {
    const read = await session.ask(session.operations.getStaticExportJob, { path: { jobId: started.jobId } })
    if (read.answer.status !== 200) throw new LawSkipped(`The job can no longer be read: ${read.answer.status}.`)
    const job = readJob(read.answer)
    const fault = findStep(before, job)
    session.check('export_progress', fault === undefined, () => fault ?? '', read)
    if (isTerminal(before) && isTerminal(job)) return job
    if (!isTerminal(job) && Date.now() > endsAt) {
      const reason = `The export did not end within ${session.settings.maxWaitMs / 1000} seconds (--max-wait).`
      session.recorder.skip('export_progress', reason)
      throw new LawSkipped()
    }
    before = job
    // A job that has ended is read once more.
    if (!isTerminal(job)) await new Promise(done => setTimeout(done, waitMs))
  }
}

const order = ['queued', 'running', 'completed']

function isTerminal({ status }: Job): boolean {
  return status === 'completed' || status === 'failed'
}

function findStep(before: Job, job: Job): string | undefined {
  const isBack = order.indexOf(job.status) < order.indexOf(before.status) && job.status !== 'failed'
  if (isBack || (isTerminal(before) && job.status !== before.status)) {
    return `The status went from ${before.status} to ${job.status}.`
  }
  if (job.progress < before.progress) return `progress fell from ${before.progress} to ${job.progress}.`
  if (job.pageCount < before.pageCount) return `pageCount fell from ${before.pageCount} to ${job.pageCount}.`
  if (Date.parse(job.updatedAt) < Date.parse(before.updatedAt)) return 'updatedAt went back.'
  if (job.createdAt !== before.createdAt) return 'createdAt changed.'
  if (job.status === 'failed' && !job.error) return 'A failed job has no error.'
  if (!isTerminal(job) && job.error !== null) return `A job that is ${job.status} has an error.`
  return job.status === 'completed' && job.progress !== 100
    ? `A completed job has the progress ${job.progress}.`
    : undefined
}
