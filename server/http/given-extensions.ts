import type { Handlers, Route } from '../../generated/extensions/operations.ts'

/** The operations of the second document, of what Quire adds, for a server that has them too. */
export interface GivenExtensions<Deps, Caller> {
  /** The document: quire-spec/extensions/openapi.json, parsed. */
  document: object
  /** `routes` of quire-spec/extensions/server. */
  routes: readonly Route[]
  /** One handler for each operation. A handler that gets the bytes of a body limits them itself. */
  handlers: Handlers<Deps, Caller>
}
