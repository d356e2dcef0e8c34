import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openServingStore } from '../../server/store/serving-store.ts'
import { openStore } from '../../server/store/store.ts'
import type { AuditEvent, AuditLog } from '../../server/tenancy/audit-event.ts'
import { shareTests, type TestStore } from './stores.ts'

const now = Date.UTC(2026, 10, 23)

function newEvent(subject: string, organizationId: string | null = null): Omit<AuditEvent, 'id'> {
  return {
    at: now,
    organizationId,
    action: 'site.created',
    subject,
    detail: null,
    actor: 'command line (ada)',
    address: 'host-1',
  }
}

let store: TestStore
const stores = shareTests(async opened => {
  store = opened.store
})

async function list(options: Parameters<AuditLog['list']>[0]): Promise<string[]> {
  return (await store.auditLog.list(options)).map(({ subject }) => subject)
}

/** Each store refuses what it knows; the first two are understood by both. */
const everywhere = ["UPDATE audit_events SET actor = 'nobody'", 'DELETE FROM audit_events']
const changes = {
  SQLite: [
    ...everywhere,
    "INSERT OR REPLACE INTO audit_events VALUES (1, 0, NULL, 'site.created', 'x', NULL, 'nobody', 'here')",
    "INSERT INTO audit_events VALUES (1, 0, NULL, 'site.created', 'x', NULL, 'nobody', 'here') ON CONFLICT (id) DO UPDATE SET actor = 'nobody'",
  ],
  PostgreSQL: [
    ...everywhere,
    'TRUNCATE audit_events',
    "INSERT INTO audit_events OVERRIDING SYSTEM VALUE VALUES (1, 0, NULL, 'site.created', 'x', NULL, 'nobody', 'here') ON CONFLICT (id) DO UPDATE SET actor = 'nobody'",
  ],
}

stores.describe('the audit log', kind => {
  test('lists the newest first, of all organizations or of one, in pages', async () => {
    for (const [subject, organizationId] of [
      ['a', 'org_1'],
      ['b', null],
      ['c', 'org_2'],
      ['d', 'org_1'],
      ['e', 'org_1'],
    ] as const)
      await store.auditLog.append(newEvent(subject, organizationId))
    expect(await store.auditLog.list({ limit: 1 })).toEqual([{ ...newEvent('e', 'org_1'), id: 5 }])
    expect(await list({ limit: 10 })).toEqual(['e', 'd', 'c', 'b', 'a'])
    expect(await list({ limit: 2, before: 4 })).toEqual(['c', 'b'])
    expect(await list({ limit: 10, organizationId: 'org_1' })).toEqual(['e', 'd', 'a'])
    expect(await list({ limit: 2, before: 5, organizationId: 'org_1' })).toEqual(['d', 'a'])
    expect(await list({ limit: 10, organizationId: 'org_9' })).toEqual([])
  })

  test('old events are deleted by their age, and the log stays append-only', async () => {
    for (const [index, subject] of ['a', 'b', 'c', 'd', 'e'].entries())
      await store.auditLog.append({ ...newEvent(subject), at: now + index })
    expect(await store.auditLog.expire(now, 10)).toBe(0)
    expect(await store.auditLog.expire(now + 3, 2)).toBe(2)
    expect(await store.auditLog.expire(now + 3, 2)).toBe(1)
    expect(await store.auditLog.expire(now + 3, 2)).toBe(0)
    expect(await list({ limit: 10 })).toEqual(['e', 'd'])
    for (const statement of everywhere)
      await expect(stores.run(statement)).rejects.toThrow('the audit log is append-only')
    await store.auditLog.append(newEvent('f'))
    expect(await list({ limit: 10 })).toEqual(['f', 'e', 'd'])
    await store.auditLog.expire(now + 9, 10)
    expect(await store.auditLog.list({ limit: 10 })).toEqual([{ ...newEvent('f'), id: 6 }])
  })

  test.each(changes[kind])('an event cannot be changed by: %s', async statement => {
    await store.auditLog.append(newEvent('a'))
    await expect(stores.run(statement)).rejects.toThrow('the audit log is append-only')
    expect(await store.auditLog.list({ limit: 10 })).toEqual([{ ...newEvent('a'), id: 1 }])
  })
})

test.each([
  ['a store', openStore],
  ['a serving store', openServingStore],
])('%s makes a change and appends its event together, or neither', async (_, open) => {
  const folder = mkdtempSync(join(tmpdir(), 'quire-audit-'))
  const opened = open(folder)
  const insert = (id: string, subject: string | null) =>
    opened.atomically(function* ({ organizations, auditLog }) {
      yield* organizations.insert({ id, name: 'Acme', plan: 'standard', createdAt: now })
      yield* auditLog.append({ ...newEvent(id), subject: subject as string })
    })
  try {
    await insert('org_1', 'org_1')
    // Without a subject, the event is refused.
    expect(() => insert('org_2', null)).toThrow(expect.objectContaining({ code: 'SQLITE_CONSTRAINT_NOTNULL' }))
    expect((await opened.organizations.list()).map(({ id }) => id)).toEqual(['org_1'])
    expect((await opened.auditLog.list({ limit: 10 })).map(({ subject }) => subject)).toEqual(['org_1'])
  } finally {
    opened.close()
    rmSync(folder, { recursive: true, force: true })
  }
})
