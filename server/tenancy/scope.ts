// Apart from api-key.ts, because the mock runs in browsers and uses it, and api-key.ts needs Node.
import type { Caller, Scope } from './api-key.ts'

/** Whether a caller has a scope, or one that includes it. */
export function hasScope({ scopes }: Pick<Caller, 'scopes'>, needed: Scope): boolean {
  return scopes.includes(needed) || scopes.includes('write')
}

/**
 * Finds a scope that a caller lacks for an operation.
 *
 * @param scopes those of the operation: all are needed, but `ingest` is an alternative to the others
 */
export function findMissingScope(scopes: readonly Scope[], caller: Pick<Caller, 'scopes'>): Scope | undefined {
  if (scopes.includes('ingest') && hasScope(caller, 'ingest')) return undefined
  const others = scopes.filter(scope => scope !== 'ingest')
  return others.length === 0 ? scopes[0] : others.find(scope => !hasScope(caller, scope))
}

/** Whether scopes are of a key that may be bound to projects, and may stand in an address. */
export function areNarrow(scopes: readonly string[]): boolean {
  return scopes.every(scope => scope === 'ingest' || scope === 'count')
}

/** Whether a key can have these scopes: read, write or both; or ingest or count alone. */
export function areScopes(scopes: readonly string[]): boolean {
  return areNarrow(scopes) ? scopes.length === 1 : scopes.every(scope => scope === 'read' || scope === 'write')
}
