// The client of the second document, of what Quire adds. It imports no module of Node.
import { calls, type ExtensionsClient } from '../../../generated/extensions/client.ts'
import type { operations } from '../../../generated/extensions/openapi.ts'
import type { DataOf, ResultOf } from './method.ts'
import { type ClientOptions, createMethods } from './methods.ts'

export type { ExtensionsClient } from '../../../generated/extensions/client.ts'
export type { components, operations, paths } from '../../../generated/extensions/openapi.ts'
export { eachPage, type PagedId } from './each-page.ts'
export { QuireError } from './error.ts'
export type { RawBody, RequestOptions } from './method.ts'
export type { ClientOptions } from './methods.ts'
export type { RetryOptions } from './retry.ts'

export type OperationId = keyof operations

/** The answer of an operation of the second document. */
export type Result<Id extends OperationId> = ResultOf<operations[Id]>

/** The data of the successful answer of an operation. */
export type Data<Id extends OperationId> = DataOf<Result<Id>>

/**
 * Creates a client of what Quire adds to the administration API. Its methods answer and fail as those of `createClient` do.
 *
 * @throws {TypeError} if the address or the key cannot be used
 */
export function createExtensionsClient(options: ClientOptions): ExtensionsClient {
  // A line counts once, however often it is sent.
  return createMethods(calls, options, ['sendVisits', 'sendVisitsByHost'])
}
