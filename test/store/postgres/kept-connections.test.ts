import { describe, expect, test } from 'vitest'
import { type ConnectedDatabase, connect } from '../../../server/store/postgres/database.ts'
import { statement } from '../../../server/store/postgres/statement.ts'
import { failure, isMissing, project, useProxiedStore } from './proxied-store.ts'

const ownConnections = "application_name = 'quire' AND datname = current_database()"

describe.skipIf(isMissing)('on PostgreSQL', () => {
  const used = useProxiedStore()

  const ownPids = async () =>
    (await used.database.run(`SELECT pid FROM pg_stat_activity WHERE ${ownConnections} ORDER BY pid`)).map(
      ({ pid }) => pid,
    )

  test('errors of a call keep the connection', async () => {
    const before = await ownPids()
    expect(before).toHaveLength(1)
    const { error } = await failure(() => used.store.projects.insert(project))
    expect(error).toMatchObject({ code: '23505' })
    const inTransaction = await failure(() => used.store.atomically(({ projects }) => projects.insert(project)))
    expect(inTransaction.error).toMatchObject({ code: '23505' })
    const thrown = await failure(() =>
      used.store.atomically(function* ({ organizations }) {
        yield* organizations.updatePlan('org_1', 'enterprise')
        throw new Error('no')
      }),
    )
    expect(thrown.error).toMatchObject({ message: 'no' })
    expect(await used.store.organizations.find('org_1')).toMatchObject({ plan: 'standard' })
    expect(await ownPids()).toEqual(before)
  })

  test('a lock, a deadlock and a canceled statement keep the connection', async () => {
    const connected = connect(used.database.url)
    const raise = (code: string) =>
      failure(() => connected.exec(`DO $$ BEGIN RAISE EXCEPTION 'no' USING ERRCODE = '${code}'; END $$`))
    await raise('55P03')
    const before = await ownPids()
    for (const code of ['55P03', '53100']) await raise(code)
    expect(await ownPids()).toEqual(before)
    await connected.close()
  })

  test('a server that became a standby is left for the new primary', async () => {
    const before = await ownPids()
    const name = new URL(used.database.url).pathname.slice(1)
    await used.database.run(`ALTER DATABASE ${name} SET default_transaction_read_only = on`)
    await used.database.run(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE ${ownConnections}`)
    setTimeout(async () => {
      await used.database.run(`BEGIN READ WRITE; ALTER DATABASE ${name} RESET default_transaction_read_only; COMMIT`)
    }, 500)
    expect(await used.store.organizations.updatePlan('org_1', 'enterprise')).toBe(true)
    expect(await ownPids()).not.toEqual(before)
  })

  test('goes on when another node adds a column', async () => {
    expect(await used.store.projects.find('prj_1')).toEqual(project)
    await used.database.run('ALTER TABLE projects ADD COLUMN added integer')
    expect(await used.store.projects.find('prj_1')).toEqual(project)
    await used.database.run('ALTER TABLE projects ADD COLUMN more integer')
    const found = await used.store.atomically(({ projects }) => projects.findNamed('org_1', 'Docs'))
    expect(found).toEqual(project)
  })

  test('says that a connection ended without its user and keys, because logs have all fields of an error', async () => {
    const lost: Error[] = []
    const connected = connect(used.database.url, error => lost.push(error))
    const self = statement<object, { pid: number }>('SELECT pg_backend_pid() AS pid')
    const { pid } = (await connected.get(self, {})) ?? {}
    await used.database.run(`SELECT pg_terminate_backend(${pid})`)
    await expect.poll(() => lost.length).toBe(1)
    expect({ ...lost[0] }).toEqual({ code: '57P01' })
    await connected.close()
  })

  test('goes on behind a pooler that gives each transaction another connection', async () => {
    const connected = connect(used.database.url)
    const find = statement<object, { plan: string }>('SELECT plan FROM organizations')
    const forget = statement<object>('DEALLOCATE ALL')
    for (let i = 0; i < 3; i += 1) {
      expect(await connected.get(find, {})).toEqual({ plan: 'standard' })
      await connected.run(forget, {})
    }
    const found = await connected.atomically(async within => {
      await within.exec('DEALLOCATE ALL')
      return within.get(find, {})
    })
    expect(found).toEqual({ plan: 'standard' })
    await connected.close()
  })

  test('a write with a NUL character says where it is', async () => {
    const { error } = await failure(() => used.store.projects.insert({ ...project, id: 'prj_2', name: 'Do\0cs' }))
    expect(error).toMatchObject({ message: 'PostgreSQL cannot store a text with a NUL character, as name has.' })
  })

  test('a transaction whose work hides the error of a statement fails', async () => {
    const connected: ConnectedDatabase = connect(used.database.url)
    const { error } = await failure(() =>
      connected.atomically(async within => {
        await within.exec("UPDATE organizations SET plan = 'none'").catch(() => {})
      }),
    )
    expect(error).toMatchObject({ message: expect.stringContaining('The transaction was undone') })
    await connected.close()
  })
})
