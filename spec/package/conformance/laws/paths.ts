import { type Answer, type Request, readJson, readMediaType } from '../exchange.ts'
import type { Exchange, Session } from '../session.ts'
import { baseRequest, listOperations } from './base-requests.ts'
import type { Law } from './law.ts'

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

/** A method that the document does not have gets 405, with the methods that it has. */
export const methodLaw: Law = {
  checks: ['unsupported_method'],
  async run(session) {
    for (const path of new Set(listOperations(session).map(operation => operation.path))) {
      const operations = listOperations(session).filter(operation => operation.path === path)
      const allowed = operations.map(({ method }) => method)
      for (const method of methods.filter(other => !allowed.includes(other))) {
        const target = path.replaceAll(/\{\w+\}/g, 'kit')
        const exchange = await session.send(toRequest(session, method, target))
        session.check(
          'unsupported_method',
          findFault(exchange.answer, allowed) === undefined,
          () => `${method} ${path}: ${findFault(exchange.answer, allowed)}.`,
          exchange,
        )
      }
    }
  },
}

function findFault(answer: Answer, allowed: readonly string[]): string | undefined {
  const listed = (answer.headers.allow ?? '').split(',').map(method => method.trim().toUpperCase())
  if (answer.status !== 405) return `the status is ${answer.status} instead of 405`
  if (!allowed.every(method => listed.includes(method))) return `Allow does not name ${allowed.join(', ')}`
  return findErrorFault(answer)
}

/** An unknown path gets 404 as JSON. */
export const pathLaw: Law = {
  checks: ['undocumented_path'],
  async run(session) {
    for (const target of ['/v1/kit-unknown', '/v2/agent', '/v1/static-export/jobs/null/kit', '/kit/%2e%2e/unknown']) {
      const exchange = await session.send(toRequest(session, 'GET', target))
      const { answer } = exchange
      const fault = answer.status === 404 ? findErrorFault(answer) : `the status is ${answer.status} instead of 404`
      session.check('undocumented_path', fault === undefined, () => `GET ${target}: ${fault}.`, exchange)
    }
  },
}

function findErrorFault(answer: Answer): string | undefined {
  if (readMediaType(answer) !== 'application/json') return 'the answer is not JSON'
  const { error } = (readJson(answer) ?? {}) as { error?: unknown }
  if (typeof error !== 'string') return 'the body has no text in error'
  return answer.headers['x-request-id'] === undefined ? 'the header X-Request-Id is missing' : undefined
}

/** An unknown id gets 404. */
export const unknownLaw: Law = {
  checks: ['unknown_resource'],
  async run(session) {
    for (const operation of listOperations(session)) {
      for (const parameter of operation.parameters.filter(other => other.in === 'path')) {
        // A PUT creates what it names.
        if (operation.method === 'PUT' && operation.path.endsWith(`{${parameter.name}}`)) continue
        const base = baseRequest(session, operation)
        for (const id of ['kit-unknown', 'null', '%00', 'a%2Fb%3Fc%23d', "'%20OR%201=1--", 'a'.repeat(1000)]) {
          const exchange = await session.ask(operation, { ...base, path: { ...base.path, [parameter.name]: id } })
          checkUnknown(session, exchange, parameter.name)
        }
      }
    }
  },
}

function checkUnknown(session: Session, exchange: Exchange, name: string): void {
  const { status } = exchange.answer
  // A key without the scope or the plan gets 403, a budget that is spent 429, and an operation that is not offered 501.
  if ([403, 429, 501].includes(status)) return
  session.check('unknown_resource', status === 404, () => `An unknown ${name} gets ${status} instead of 404.`, exchange)
}

/** A request id that is not safe in a log is replaced. */
export const requestIdLaw: Law = {
  checks: ['request_id'],
  async run(session) {
    for (const given of ['a b', 'a'.repeat(129), '<script>', '"']) {
      await session.ask(session.operations.getStaticExportJob, { headers: { 'X-Request-Id': given } })
    }
  },
}

function toRequest({ settings, nonce, requests }: Session, method: string, target: string): Request {
  const headers = { Authorization: `Bearer ${settings.key}`, 'X-Request-Id': `kit-${nonce}-${requests + 1}` }
  return { method, target, headers }
}

/** Refusals that need a request of another kind: of the body, and of keys with one scope. */
export const refusalLaw: Law = {
  checks: ['negative_data_rejection', 'missing_required_header'],
  async run(session) {
    const { operations, settings } = session
    const { startStaticExportJob } = operations
    const body = JSON.stringify({ domain: settings.domain })
    const refuses = ({ answer }: Exchange) => answer.status >= 400 && answer.status < 500
    const untyped = await session.ask(startStaticExportJob, { body, headers: { 'Content-Type': '' } })
    const untypedFault = () => `A body without Content-Type gets ${untyped.answer.status} instead of 4xx.`
    session.check('missing_required_header', refuses(untyped), untypedFault, untyped)
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/json; charset=latin1']) {
      const exchange = await session.ask(startStaticExportJob, { body, headers: { 'Content-Type': type } })
      const fault = () => `A body of the type ${type} gets ${exchange.answer.status} instead of 4xx.`
      session.check('negative_data_rejection', refuses(exchange), fault, exchange)
    }
    // Larger than the usual limit. The field is also longer than the document allows.
    await session.ask(startStaticExportJob, { body: { domain: settings.domain, version: 'a'.repeat(2 * 2 ** 20) } })
    for (const operation of listOperations(session)) {
      const key = operation.scopes.includes('read') ? settings.writeKey : settings.readKey
      if (key === undefined) continue
      const exchange = await session.ask(operation, {
        ...baseRequest(session, operation),
        authorization: `Bearer ${key}`,
      })
      const fault = () => `A key without the scope ${operation.scopes} gets ${exchange.answer.status} instead of 403.`
      session.check('ignored_auth', exchange.answer.status === 403, fault, exchange)
    }
  },
}
