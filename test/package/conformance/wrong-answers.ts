import { ExchangeError } from '../../../spec/package/conformance/index.ts'
import { isAgentJob, isJob, isStart, type WrongServer, when, withBody, withHeader } from './wrong-server.ts'

export function wrongAnswers(): WrongServer[] {
  return [
    {
      fault: 'answers 500 to odd input',
      caught: ['not_a_server_error'],
      needs: ['unknown_resource'],
      answer: when(
        ({ target }) => target.includes('%00'),
        answer => ({ ...answer, status: 500 }),
      ),
    },
    {
      fault: 'breaks off answers',
      caught: ['response_completeness'],
      needs: ['unknown_resource'],
      async answer(request, next) {
        if (isAgentJob(request) && request.target.includes('kit-unknown'))
          throw new ExchangeError('The connection closed.')
        return next()
      },
    },
    {
      fault: 'answers an undocumented status',
      caught: ['status_code_conformance'],
      maxRequests: 4,
      answer: when(
        (_, { status }) => status === 400,
        answer => ({ ...answer, status: 422 }),
      ),
    },
    {
      fault: 'sends JSON as text',
      caught: ['content_type_conformance'],
      needs: ['unknown_resource'],
      answer: when(
        (_, { status }) => status === 404,
        answer => withHeader(answer, 'content-type', 'text/plain'),
      ),
    },
    {
      fault: 'leaves out a header',
      caught: ['response_headers_conformance'],
      needs: ['missing_required_header'],
      answer: when(
        (_, { status }) => status === 401,
        answer => withHeader(answer, 'www-authenticate', undefined),
      ),
    },
    {
      fault: 'adds a field to a body',
      caught: ['response_schema_conformance'],
      answer: when(
        (request, { status }) => isAgentJob(request) && status === 200,
        answer => withBody(answer, body => ({ ...body, internalId: 7 })),
      ),
    },
    {
      fault: 'writes null for a number',
      caught: ['response_schema_conformance'],
      needs: ['ensure_resource_availability'],
      answer: when(
        (request, { status }) => isJob(request) && status === 200,
        answer => withBody(answer, body => ({ ...body, progress: null })),
      ),
    },
    {
      fault: 'accepts invalid requests',
      caught: ['negative_data_rejection'],
      maxRequests: 20,
      answer: when(
        (request, { status }) => isStart(request) && status === 400,
        answer => ({ ...answer, status: 202 }),
      ),
    },
    {
      fault: 'ignores unknown parameters',
      caught: ['negative_data_rejection'],
      maxRequests: 20,
      answer: (request, next) =>
        request.target.includes('/v2/agent') ? next({ target: request.target.split('?')[0] ?? '' }) : next(),
    },
    {
      fault: 'refuses valid requests',
      caught: ['positive_data_acceptance'],
      maxRequests: 20,
      async answer(request, next) {
        return next(/T\d\d/.test(request.target) ? { target: `${request.target}&unknown=1` } : {})
      },
    },
    {
      fault: 'answers 404 to a method that is missing',
      caught: ['unsupported_method'],
      answer: when(
        (_, { status }) => status === 405,
        answer => ({ ...answer, status: 404 }),
      ),
    },
    {
      fault: 'redirects unknown paths',
      caught: ['undocumented_path'],
      answer: when(
        ({ target }, { status }) => status === 404 && target.includes('/kit'),
        answer => ({ ...withHeader(answer, 'location', '/'), status: 302 }),
      ),
    },
    {
      fault: 'answers 400 to an unknown id',
      caught: ['unknown_resource'],
      answer: when(
        (request, { status }) => isJob(request) && status === 404,
        answer => ({ ...answer, status: 400 }),
      ),
    },
    {
      fault: 'makes its own request ids',
      caught: ['request_id'],
      answer: when(
        () => true,
        answer => withHeader(answer, 'x-request-id', 'own'),
      ),
    },
  ]
}

export function wrongKeys(): WrongServer[] {
  return [
    {
      fault: 'answers 403 without a key',
      caught: ['missing_required_header'],
      answer: when(
        ({ headers }, { status }) => status === 401 && headers.Authorization === undefined,
        answer => ({ ...answer, status: 403 }),
      ),
    },
    {
      fault: 'accepts every key',
      caught: ['ignored_auth'],
      answer: when(
        (_, { status }) => status === 401,
        answer => ({ ...answer, status: 200 }),
      ),
    },
    {
      fault: 'checks the request before the key',
      caught: ['auth_before_validation'],
      answer: when(
        ({ target }, { status }) => status === 401 && target.includes('unknown=1'),
        answer => ({ ...answer, status: 400 }),
      ),
    },
    {
      fault: 'tells wrong keys apart',
      caught: ['same_refusal'],
      answer: when(
        ({ headers }, { status }) => status === 401 && headers.Authorization?.startsWith('Basic') === true,
        answer => withBody(answer, body => ({ ...body, error: 'Basic is not supported.' })),
      ),
    },
    tellingOthers(),
  ]
}

/** Says 403 for ids that exist. */
function tellingOthers(): WrongServer {
  const existing = new Set<string>()
  return {
    fault: 'says 403 for what belongs to others',
    caught: ['resource_isolation'],
    async answer({ target }, next) {
      const answer = await next()
      const [path = ''] = target.split('?')
      if (answer.status === 200) existing.add(path)
      return answer.status === 404 && existing.has(path) ? { ...answer, status: 403 } : answer
    },
  }
}
