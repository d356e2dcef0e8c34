import type { AnyRoute as Route } from '../../../generated/operations.ts'
import { requests } from '../../../generated/requests.ts'
import { checkAccess, spendRequest } from '../../../server/http/access.ts'
import { toErrorBody } from '../../../server/http/error-body.ts'
import { createTargetHandler, type FetchAdmission } from '../../../server/http/fetch-handler.ts'
import { toResponse } from '../../../server/http/fetch-response.ts'
import { HttpError, serverFault } from '../../../server/http/http-error.ts'
import { safeRequestId } from '../../../server/http/request-id.ts'
import type { Client } from '../../../server/operations/client.ts'
import { etags, handlers } from '../../../server/operations/index.ts'
import { findClient } from './access.ts'
import { answerBundle } from './bundle-answer.ts'
import { explainNoBundleError, findBundleError } from './bundle-errors.ts'
import { bundlesPath } from './bundle-links.ts'
import { createRunningClock, createStepClock } from './clock.ts'
import { extensions, mocked } from './extensions.ts'
import { explainNoError, findForcedError } from './forced-error.ts'
import { createMemory } from './memory.ts'
import { checkOptions, type MockOptions, readSettings } from './options.ts'
import { readChoice } from './prism-choice.ts'
import { createRandom, pickInteger } from './random.ts'
import { type Scenario, type ScenarioName, scenarios } from './scenarios.ts'
import { changeSettings, type Settings, type SettingTexts, type TakenSettings, takeSettings } from './settings.ts'

/** A server in memory that keeps state: jobs move, links expire, and budgets run out. */
export interface Mock {
  /**
   * Answers a request. Its query (`__scenario`, `__delay`, `__error`) or its header `Prefer: scenario=..., delay=..., error=...` can
   * change the settings for it alone. `Prefer: code=..., example=...` chooses an error, too.
   *
   * @returns a network error (`Response.error()`) if the setting `error` is `network`
   */
  answer(request: Request, place?: RequestPlace): Promise<Response>
  /**
   * Changes the settings for all later requests.
   *
   * @throws {Error} with a sentence for people, such as for an unknown scenario.
   */
  use(texts: SettingTexts): void
  settings(): Readonly<Settings>
  /** Forgets everything that happened, and begins with the first settings. */
  reset(): void
}

/** Where a request arrived, if its URL does not say it. */
export interface RequestPlace {
  /** The undecoded path and query. */
  target?: string
  /** Where the paths of the API begin, without a trailing slash. Default: the origin of the request. */
  baseUrl?: string
}

/**
 * Creates a mock, which has no server and needs no Node.
 *
 * @throws {TypeError} with a sentence that names an option that cannot be used
 */
export function createMock(options: MockOptions = {}): Mock {
  checkOptions(options, 'createMock')
  const { scenario = 'usual', delayMs = 0, error = '' } = options
  const first = changeSettings({ scenario, delayMs, error: null }, { error: String(error) })
  let settings = first
  let state = createState(options)
  return {
    answer: (request, place = {}) => state(request, place, settings),
    use(texts) {
      settings = changeSettings(settings, readSettings(texts))
    },
    settings: () => settings,
    reset() {
      settings = first
      state = createState(options)
    },
  }
}

/** What is known about a request when its key is checked. */
interface Arrived {
  scenario: Scenario
  error: string | null
  baseUrl: string
  target: string
}

type Answer = (request: Request, place: RequestPlace, settings: Settings) => Promise<Response>

function createState({ key, seed = 'quire', stepSeconds, speed = 1, wait = pause }: MockOptions): Answer {
  const clock = stepSeconds === undefined ? createRunningClock(speed) : createStepClock(stepSeconds)
  const memory = createMemory(clock, seed)
  const random = createRandom(`${seed} answers`)
  const arrived = new WeakMap<Request, Arrived>()
  const answerers = new Map<ScenarioName, ReturnType<typeof createTargetHandler>>()
  let count = 0

  const admissionOf = (scenario: Scenario): FetchAdmission<Client & { error: HttpError | undefined }> => ({
    authorize(route, request) {
      const { baseUrl, error, target } = arrived.get(request) as Arrived
      const forced = error === null ? undefined : findForcedError(route, error)
      if (forced?.status === 401 || forced?.status === 403) throw forced
      const authorization = request.headers.get('Authorization')
      const client = checkAccess(route, findClient(route, { authorization, target }, { baseUrl, onlyKey: key }))
      return { ...client, error: forced }
    },
    async spend(route, { organizationId, error }, headers) {
      const given = await spendRequest(memory.limitsOf(scenario), route, organizationId, clock.now)
      for (const [name, value] of Object.entries(given)) headers.set(name, value)
      if (error) throw error
      if (random() < scenario.faultRate) throw new HttpError(500, 'internal_error', serverFault)
    },
  })

  function answererOf(name: ScenarioName) {
    const scenario = scenarios[name]
    const known =
      answerers.get(name) ??
      createTargetHandler({
        document: requests,
        handlers,
        etags,
        extensions,
        deps: memory.depsOf(scenario),
        admission: admissionOf(scenario),
      })
    answerers.set(name, known)
    return known
  }

  return async (request, place, settings) => {
    clock.tick()
    count += 1
    const requestId = safeRequestId(request.headers.get('X-Request-Id') ?? undefined, () => `mock-${count}`)
    const url = new URL(request.url)
    const taken = takeSettings(place.target ?? url.pathname + url.search, request.headers.get('Prefer'))
    const { target } = taken
    const route = mocked.findRoute(request.method, target)
    const isBundle = target.startsWith(`${bundlesPath}/`)
    let own: Settings
    try {
      own = readOwnSettings(settings, taken, isBundle ? 'bundle' : route)
    } catch (error) {
      return refuseSettings(request, route, { requestId, message: (error as Error).message })
    }
    const scenario: Scenario = scenarios[own.scenario]
    const [least, most] = scenario.delayMs
    const delayMs = own.delayMs + pickInteger(random, least, most)
    if (delayMs > 0) await wait(delayMs)
    if (own.error === 'network') return Response.error()
    if (isBundle) {
      const headers = new Headers({ 'X-Request-Id': requestId })
      return answerBundle(request, { target, headers, error: findBundleError(own.error) }, memory.depsOf(scenario))
    }
    arrived.set(request, { scenario, error: own.error, baseUrl: place.baseUrl ?? url.origin, target })
    return answererOf(own.scenario)(request, target, requestId)
  }
}

/** Settings of a request that the mock does not know are a mistake in it, so its answer is a 400. */
function refuseSettings(
  request: Request,
  route: Route | undefined,
  { requestId, message }: { requestId: string; message: string },
): Response {
  const body = toErrorBody(new HttpError(400, 'invalid_request', message), route)
  return toResponse(request, { status: 400, body }, new Headers({ 'X-Request-Id': requestId }), route)
}

/**
 * Returns the settings with those of the request in their place. An error for one request must be one of its operation. An error for
 * all requests applies where there is one.
 *
 * @throws {Error} with a sentence for people.
 */
function readOwnSettings(
  settings: Settings,
  { texts, choice }: TakenSettings,
  place: Route | 'bundle' | undefined,
): Settings {
  const find = (name: string) => (place === 'bundle' ? findBundleError(name) : place && findForcedError(place, name))
  const chosen = readChoice(choice, texts.error, name => find(name)?.status)
  const own = changeSettings(settings, chosen === undefined ? texts : { ...texts, error: chosen })
  const { error } = own
  const isOwn = texts.error !== undefined && place !== undefined
  if (!isOwn || error === null || error === 'network' || find(error)) return own
  throw new Error(place === 'bundle' ? explainNoBundleError(error) : explainNoError(error, place.operationId))
}

function pause(delayMs: number): Promise<void> {
  return new Promise(done => setTimeout(done, delayMs))
}
