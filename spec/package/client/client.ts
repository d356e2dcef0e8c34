import { calls, type QuireClient } from '../../../generated/client.ts'
import { type ClientOptions, createMethods } from './methods.ts'

/**
 * Creates a client of the administration API. A method returns each answer that the document lists, also a refusal; its `status`
 * tells them apart. It throws `QuireError` for everything else.
 *
 * @throws {TypeError} if the address or the key cannot be used
 */
export function createClient(options: ClientOptions): QuireClient {
  return createMethods(calls, options)
}
