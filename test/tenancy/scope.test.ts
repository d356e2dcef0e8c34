import { expect, test } from 'vitest'
import type { Scope } from '../../server/tenancy/api-key.ts'
import { areNarrow, areScopes, findMissingScope, hasScope } from '../../server/tenancy/scope.ts'

test.each<[Scope[], Scope[]]>([
  [['read'], ['read']],
  [['write'], ['read', 'write', 'ingest', 'count']],
  [
    ['read', 'write'],
    ['read', 'write', 'ingest', 'count'],
  ],
  [['ingest'], ['ingest']],
  [['count'], ['count']],
  [[], []],
])('a key with %j has the scopes %j', (scopes, want) => {
  expect((['read', 'write', 'ingest', 'count'] as const).filter(scope => hasScope({ scopes }, scope))).toEqual(want)
})

test.each<{ operation: Scope[]; key: Scope[]; missing: Scope | undefined }>([
  { operation: ['read'], key: ['write'], missing: undefined },
  { operation: ['write'], key: ['read'], missing: 'write' },
  { operation: ['read', 'write'], key: ['read'], missing: 'write' },
  { operation: ['read'], key: ['ingest'], missing: 'read' },
  { operation: ['ingest'], key: ['ingest'], missing: undefined },
  { operation: ['ingest'], key: ['write'], missing: undefined },
  { operation: ['ingest'], key: ['read'], missing: 'ingest' },
  { operation: ['write', 'ingest'], key: ['ingest'], missing: undefined },
  { operation: ['write', 'ingest'], key: ['read'], missing: 'write' },
  { operation: ['read', 'ingest'], key: ['read'], missing: undefined },
  { operation: ['read', 'ingest'], key: ['ingest'], missing: undefined },
])('an operation that needs $operation refuses a key with $key for the scope $missing', given => {
  expect(findMissingScope(given.operation, { scopes: given.key })).toBe(given.missing)
})

test.each([
  [['read'], true],
  [['write'], true],
  [['read', 'write'], true],
  [['ingest'], true],
  [['count'], true],
  [['count', 'ingest'], false],
  [['count', 'read'], false],
  [['ingest', 'read'], false],
  [['write', 'ingest'], false],
  [['admin'], false],
  [[], false],
])('a key can have the scopes %j: %j', (scopes, want) => {
  expect(areScopes(scopes)).toBe(want)
})

test.each([
  [['ingest'], true],
  [['count'], true],
  [['read'], false],
  [['ingest', 'write'], false],
])('a key with %j may be bound to projects and stand in an address: %j', (scopes, want) => {
  expect(areNarrow(scopes)).toBe(want)
})
