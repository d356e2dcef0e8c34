import type { Handlers as ExtensionHandlers, Route } from '../../generated/extensions/operations.ts'
import type { Handlers, Input, OperationId } from '../../generated/operations.ts'

/** Functions that return the ETag that a 200 has now; undefined if the answer is another one. */
export type FindETags<Deps, Caller> = {
  [Id in OperationId]?: (input: Input<Id>, deps: Deps, caller: Caller) => Promise<string | undefined>
}

/** The operations of the second document, of what Quire adds, for a server that has them too. */
export interface GivenExtensions<Deps, Caller> {
  /** The document: quire-spec/extensions/openapi.json, parsed. */
  document: object
  /** `routes` of quire-spec/extensions/server. */
  routes: readonly Route[]
  /** One handler for each operation. A handler that gets the bytes of a body limits them itself. */
  handlers: ExtensionHandlers<Deps, Caller>
}

/** What a server that mounts the operations gives them, in Express and with the Fetch API. */
export interface GivenOperations<Deps, Caller> {
  /** The OpenAPI document: quire-spec/openapi.json, parsed. */
  document: object
  /** One handler for each operation. */
  handlers: Handlers<Deps, Caller>
  /** The ETags of operations that can answer 304. */
  etags?: FindETags<Deps, Caller>
  /** The operations of the second document. Default: the server does not have them. */
  extensions?: GivenExtensions<Deps, Caller>
  /** The largest request body. Default: 1 MiB. */
  bodyLimitBytes?: number
  /** Called with each error that is answered with a status of 500 or more. */
  onError?: (error: unknown, requestId: string) => void
}
