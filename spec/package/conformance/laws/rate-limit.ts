import type { Budget } from '../operations.ts'
import { type Exchange, LawSkipped, type Session } from '../session.ts'
import type { Law } from './law.ts'
import { askVisitors, readLeft } from './visitors.ts'

const someRequests = 5

/** The headers state the budget of the document, and each request spends of it. */
export const rateHeadersLaw: Law = {
  checks: ['rate_limit_headers'],
  async run(session) {
    const budget = requireBudget(session)
    const first = await askVisitors(session, 'limit=1')
    checkHeaders(session, first.exchange, budget)
    let last = first
    for (let i = 0; i < someRequests; i++) {
      last = await askVisitors(session, 'limit=1')
      checkHeaders(session, last.exchange, budget)
    }
    const before = readLeft(first.exchange)
    const after = readLeft(last.exchange)
    if (before === undefined || after === undefined) return
    const fault = () => `After ${someRequests} requests, RateLimit says r=${after}, and before r=${before}.`
    session.check('rate_limit_headers', after < before, fault, last.exchange)
  },
}

function checkHeaders(session: Session, exchange: Exchange, { name, quota, windowSeconds }: Budget): void {
  const policy = exchange.answer.headers['ratelimit-policy']
  const expected = `"${name}";q=${quota};w=${windowSeconds}`
  const policyFault = () => `RateLimit-Policy is ${policy} instead of ${expected}.`
  session.check('rate_limit_headers', policy === expected, policyFault, exchange)
  const left = readLeft(exchange) ?? 0
  session.check(
    'rate_limit_headers',
    left <= quota,
    () => `RateLimit says r=${left} of a budget of ${quota}.`,
    exchange,
  )
}

/** The last law, because it spends the budget: after so many requests, there must be a 429. */
export const rateEnforcementLaw: Law = {
  checks: ['rate_limit_enforcement'],
  async run(session) {
    const { quota, windowSeconds } = requireBudget(session)
    const startedAt = Date.now()
    for (let count = 1; ; count++) {
      const exchange = await session.ask(session.operations.getUniqueVisitors, { query: 'limit=1' })
      const { status, headers } = exchange.answer
      if (status === 429) {
        const seconds = Number(headers['retry-after'])
        const isSmall = seconds <= windowSeconds
        const fault = () => `Retry-After asks to wait ${seconds} seconds, longer than the window of the budget.`
        session.check('rate_limit_enforcement', isSmall, fault, exchange)
        return
      }
      if (status !== 200) throw new LawSkipped(`getUniqueVisitors answered ${status} instead of 200.`)
      if (count <= quota) continue
      if (Date.now() - startedAt >= windowSeconds * 1000)
        throw new LawSkipped('The requests took longer than the window.')
      const fault = () => `${count} requests within the window got 200, and the budget is ${quota}.`
      return session.check('rate_limit_enforcement', false, fault, exchange)
    }
  },
}

function requireBudget({ operations }: Session): Budget {
  const { budget } = operations.getUniqueVisitors
  if (!budget) throw new LawSkipped('The document has no budget for getUniqueVisitors.')
  return budget
}
