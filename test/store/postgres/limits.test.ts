import { describe, expect, test } from 'vitest'
import { UnavailableError } from '../../../server/base/unavailable-error.ts'
import { connect } from '../../../server/store/postgres/database.ts'
import { statement } from '../../../server/store/postgres/statement.ts'
import { queuedJob } from '../../support/export-job.ts'
import { failure, isMissing, now, project, useProxiedStore } from './proxied-store.ts'

/** Calls give up after 5 s. A slow machine needs longer to notice; a call without a limit never ends. */
const limitMs = 15_000

describe.skipIf(isMissing)('on PostgreSQL, in silence', () => {
  const used = useProxiedStore()

  test('a server that falls silent is unreachable after 5 s, with new connections and old ones, and comes back', async () => {
    const end = used.proxy.silence()
    const job = queuedJob({ jobId: 'se_1', organizationId: 'org_1', createdAt: now })
    const failures = await Promise.all(
      [
        () => used.store.organizations.list(),
        () => used.store.organizations.updatePlan('org_1', 'enterprise'),
        () => used.store.exportJobs.start(job, 'key', 0),
        () => used.store.check(now),
      ].map(failure),
    )
    for (const { error, ms } of failures) {
      expect(error).toBeInstanceOf(UnavailableError)
      expect(error).toMatchObject({ reason: 'unreachable' })
      expect(ms).toBeLessThan(limitMs)
    }
    end()
    expect(await used.store.exportJobs.start(job, 'key', 0)).toEqual({ job, isReplayed: false })
  })

  test('a server that falls silent within a transaction is unreachable after 5 s, and nothing was changed', async () => {
    let end = () => {}
    const { error, ms } = await failure(() =>
      used.store.atomically(function* ({ organizations }) {
        yield* organizations.updatePlan('org_1', 'enterprise')
        end = used.proxy.silence()
        yield* organizations.find('org_1')
      }),
    )
    expect(error).toBeInstanceOf(UnavailableError)
    expect(ms).toBeLessThan(limitMs)
    end()
    expect(await used.store.organizations.find('org_1')).toMatchObject({ plan: 'standard' })
  })

  test('a write whose answer never comes ends, without the promise that nothing was changed', async () => {
    const end = used.proxy.silence()
    const { error, ms } = await failure(() => used.store.projects.insert({ ...project, id: 'prj_2' }))
    expect(error).toMatchObject({ message: 'Query read timeout' })
    expect(ms).toBeLessThan(limitMs)
    end()
  })

  test('a call does not wait for a lock for longer, and nothing was changed', async () => {
    const other = connect(used.database.url)
    const locked = Promise.withResolvers<void>()
    const { promise: held, resolve: release } = Promise.withResolvers<void>()
    const holder = other.atomically(async within => {
      await within.exec('SET LOCAL idle_in_transaction_session_timeout = 0')
      await within.exec("UPDATE projects SET name = 'held'; UPDATE organizations SET name = 'held'")
      locked.resolve()
      await held
    })
    await locked.promise
    for (const call of [
      () => used.store.organizations.updatePlan('org_1', 'enterprise'),
      () =>
        used.store.exportJobs.start(queuedJob({ jobId: 'se_1', organizationId: 'org_1', createdAt: now }), 'key', 0),
    ]) {
      const { error, ms } = await failure(call)
      expect(error).toBeInstanceOf(UnavailableError)
      expect(error).toMatchObject({ reason: 'locked' })
      expect(ms).toBeLessThan(limitMs)
    }
    release()
    await holder
    await other.close()
    expect(await used.store.organizations.find('org_1')).toMatchObject({ name: 'held', plan: 'standard' })
  })
})

describe.skipIf(isMissing)('on PostgreSQL, slowly', () => {
  const used = useProxiedStore()

  test('a slow statement may take longer', async () => {
    const slow = connect(used.database.url)
    const sleep = statement<object, { done: boolean }>('SELECT pg_sleep(6) IS NOT NULL AS done', { isSlow: true })
    try {
      expect(await Promise.all([slow.get(sleep, {}), slow.atomically(within => within.get(sleep, {}))])).toEqual([
        { done: true },
        { done: true },
      ])
    } finally {
      await slow.close()
    }
  })

  test('the server ends a statement whose caller is gone, and a transaction whose node stalls', async () => {
    const connected = connect(used.database.url)
    const sleep = statement<object, object>('SELECT pg_sleep(60)')
    const { error } = await failure(() => connected.get(sleep, {}))
    expect(error).toBeInstanceOf(UnavailableError)
    const settings = await connected.get(
      statement<object, { idle: string }>("SELECT current_setting('idle_in_transaction_session_timeout') AS idle"),
      {},
    )
    expect(settings).toEqual({ idle: '10s' })
    await expect
      .poll(() =>
        used.database.run("SELECT query FROM pg_stat_activity WHERE query LIKE '%pg_sleep(60)' AND state = 'active'"),
      )
      .toEqual([])
    await connected.close()
  })
})
