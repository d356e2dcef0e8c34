import { HttpError } from './http-error.ts'
import { escapeStep, explainInvalid, type Fields, type ValidatorError } from './invalid-request.ts'

/** Returns the error of a request that breaks the contract. */
export function refuseInvalid(errors: readonly ValidatorError[], fields: Fields, body?: unknown): HttpError {
  return refuseDetails(explainInvalid(errors, fields, body))
}

/** Returns the error of a request that breaks the contract, from a sentence for each problem. */
export function refuseDetails(details: string[]): HttpError {
  return new HttpError(400, details.join(' '), {}, details)
}

/**
 * Finds integers that are not written in decimal digits or are too large for JavaScript. The validator accepts all that JavaScript
 * converts, such as 0x10 and 1e2, and infinity within any bounds.
 */
export function findUnclearIntegers(
  query: Readonly<Record<string, unknown>>,
  names: readonly string[],
): ValidatorError[] {
  return names.flatMap(name => {
    const value = query[name]
    if (typeof value !== 'string' || value === '') return []
    const isUnclear = !/^(\d+|-[1-9]\d*)$/.test(value) || !Number.isFinite(Number(value))
    return isUnclear
      ? [{ path: `/query/${name}`, message: 'must be integer', errorCode: 'type.openapi.validation' }]
      : []
  })
}

/**
 * Finds a query parameter that is unknown or has no value. The validator of the server does that, too, but it takes `limit[]` for
 * `limit`.
 */
export function findUnusable(
  query: Readonly<Record<string, unknown>>,
  known: ReadonlySet<string>,
): ValidatorError | undefined {
  for (const [name, value] of Object.entries(query)) {
    if (!known.has(name)) return { path: `/query/${escapeStep(name)}`, message: 'Unknown query parameter' }
    if (value === '') return { path: `/query/${name}`, message: 'Empty value' }
  }
  return undefined
}
