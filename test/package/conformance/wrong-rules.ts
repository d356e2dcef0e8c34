import type { Answer } from '../../../spec/package/conformance/index.ts'
import { isJob, isVisitors, type WrongServer, when, withBody, withHeader, withQuery } from './wrong-server.ts'

export function wrongVisitors(): WrongServer[] {
  return [
    {
      fault: 'includes dateTo',
      caught: ['date_range'],
      answer: (request, next) =>
        next(
          withQuery(request, query => {
            const day = /^\d{4}-\d\d-\d\d$/.exec(query.get('dateTo') ?? '')?.[0]
            if (day) query.set('dateTo', new Date(Date.parse(day) + 86_400_000).toISOString().slice(0, 10))
          }),
        ),
    },
    {
      fault: 'ignores the offset of a date',
      caught: ['date_range'],
      answer: (request, next) =>
        next(
          withQuery(request, query => {
            const local = /^(.+T\d\d:\d\d(:\d\d)?)[ +-]\d\d:\d\d$/.exec(query.get('dateTo') ?? '')?.[1]
            if (local !== undefined) query.set('dateTo', local)
          }),
        ),
    },
    {
      fault: 'ignores limit',
      caught: ['pagination'],
      answer: (request, next) => next(withQuery(request, query => query.delete('limit'))),
    },
    {
      fault: 'ignores offset',
      caught: ['pagination'],
      answer: (request, next) => next(withQuery(request, query => query.delete('offset'))),
    },
    {
      fault: 'always has more',
      caught: ['pagination'],
      answer: when(
        (request, { status, headers }) =>
          isVisitors(request) && status === 200 && !headers['content-type']?.includes('csv'),
        answer => withBody(answer, body => ({ ...body, hasMore: true })),
      ),
    },
    {
      fault: 'adds people and AI',
      caught: ['visitor_totals'],
      answer: when(
        (request, { status, headers }) =>
          isVisitors(request) && status === 200 && !headers['content-type']?.includes('csv'),
        answer => withBody(answer, body => ({ ...body, totals: { human: 3, ai: 2, total: 6 } })),
      ),
    },
    {
      fault: 'cuts the CSV',
      caught: ['csv_equals_json'],
      answer: when(
        (_, { headers }) => headers['content-type']?.includes('csv') === true,
        answer => ({ ...answer, body: answer.body.subarray(0, Buffer.from(answer.body).lastIndexOf('/page')) }),
      ),
    },
    {
      fault: 'ignores If-None-Match',
      caught: ['conditional_request'],
      answer({ headers: { 'If-None-Match': _, ...headers } }, next) {
        return next({ headers })
      },
    },
    {
      fault: 'states another budget',
      caught: ['rate_limit_headers'],
      answer: when(
        (_, { headers }) => headers['ratelimit-policy'] !== undefined,
        answer => withHeader(answer, 'ratelimit-policy', '"analytics";q=1000;w=3600'),
      ),
    },
    limitless(),
  ]
}

/** Repeats an earlier answer instead of the 429. */
function limitless(): WrongServer {
  let last: Answer | undefined
  return {
    fault: 'never ends the budget',
    caught: ['rate_limit_enforcement'],
    async answer(request, next) {
      const answer = await next()
      if (isVisitors(request) && answer.status === 200) last = answer
      return answer.status === 429 && last ? withHeader(last, 'x-request-id', request.headers['X-Request-Id']) : answer
    },
  }
}

export function wrongExports(): WrongServer[] {
  return [
    {
      fault: 'ignores Idempotency-Key',
      caught: ['idempotency'],
      answer({ headers: { 'Idempotency-Key': _, ...headers } }, next) {
        return next({ headers })
      },
    },
    {
      fault: 'does not find a job that was just started',
      caught: ['ensure_resource_availability'],
      answer: when(
        (request, { status }) => isJob(request) && status === 200,
        answer => ({ ...answer, status: 404 }),
      ),
    },
    fallingProgress(),
  ]
}

function fallingProgress(): WrongServer {
  let progress = 90
  return {
    fault: 'lets progress fall',
    caught: ['export_progress'],
    answer: when(
      (request, { status }) => isJob(request) && status === 200,
      answer => withBody(answer, body => ({ ...body, progress: progress-- })),
    ),
  }
}

export function wrongLinks(): WrongServer[] {
  return [
    {
      fault: 'has links that outlive expiresAt',
      caught: ['use_after_free'],
      answer: when(
        ({ target }, { status }) => target.endsWith('/bundle') && status === 200,
        answer => withBody(answer, body => ({ ...body, expiresAt: new Date().toISOString() })),
      ),
    },
    {
      fault: 'has links of a year',
      caught: ['link_rules'],
      answer: when(
        ({ target }, { status }) => target.endsWith('/bundle') && status === 200,
        answer => withBody(answer, body => ({ ...body, expiresAt: new Date(Date.now() + 3.2e10).toISOString() })),
      ),
    },
    {
      fault: 'does not check the signature',
      caught: ['link_rules'],
      answer: when(
        (_, { status }, isLink) => isLink && status === 403,
        answer => ({ ...answer, status: 200 }),
      ),
    },
    {
      fault: 'sends other bytes than sha256 names',
      caught: ['link_rules'],
      answer: when(
        ({ method }, { status }, isLink) => isLink && method === 'GET' && status === 200,
        answer => ({ ...answer, body: Buffer.from(answer.body).fill(0) }),
      ),
    },
    {
      fault: 'needs a key for links',
      caught: ['link_rules'],
      answer: when(
        ({ headers }, _, isLink) => isLink && headers.Authorization === undefined,
        answer => ({ ...answer, status: 401 }),
      ),
    },
  ]
}
