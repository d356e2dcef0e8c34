import type { People, Person } from '../../tenancy/person.ts'
import { type PersonRow, toPerson } from '../person-row.ts'
import type { Database } from './database.ts'
import { prepareListPart } from './list-part.ts'
import { statement } from './statement.ts'

const insert = statement<PersonRow>(
  'INSERT INTO people (id, organization_id, name, created_at) VALUES (@id, @organization_id, @name, @created_at)',
)
const find = statement<{ id: string }, PersonRow>('SELECT * FROM people WHERE id = @id')
const listAll = statement<object, PersonRow>('SELECT * FROM people ORDER BY name, id')
const list = statement<{ organizationId: string | null }, PersonRow>(
  'SELECT * FROM people WHERE organization_id IS NOT DISTINCT FROM @organizationId ORDER BY name, id',
)
const listPart = prepareListPart<PersonRow>({
  columns: '*',
  from: 'people',
  where: 'organization_id IS NOT DISTINCT FROM @owner',
  searched: 'name',
  order: 'name, id',
})
const findNamed = statement<{ organizationId: string | null; name: string }, PersonRow>(
  'SELECT * FROM people WHERE organization_id IS NOT DISTINCT FROM @organizationId AND name = @name',
)
// So that no session or link begins meanwhile.
const lock = statement<{ id: string }, object>('SELECT 1 FROM people WHERE id = @id FOR UPDATE')
const deleteSessions = statement<{ id: string }>('DELETE FROM sessions WHERE person_id = @id')
const deleteLinks = statement<{ id: string }>('DELETE FROM sign_in_links WHERE person_id = @id')
const remove = statement<{ id: string }>('DELETE FROM people WHERE id = @id')

export function openPeople(database: Database): People {
  return {
    async insert({ id, organizationId, name, createdAt }) {
      await database.run(insert, { id, organization_id: organizationId, name, created_at: createdAt })
    },
    find: id => findPerson(database, id),
    async list(organizationId) {
      const rows = organizationId === undefined ? database.all(listAll, {}) : database.all(list, { organizationId })
      return (await rows).map(toPerson)
    },
    async listPart(organizationId, part) {
      const { rows, count } = await listPart(database, organizationId, part)
      return { rows: rows.map(toPerson), count }
    },
    async findNamed(organizationId, name) {
      const row = await database.get(findNamed, { organizationId, name })
      return row && toPerson(row)
    },
    delete: id =>
      database.atomically(async within => {
        await within.all(lock, { id })
        await within.run(deleteSessions, { id })
        await within.run(deleteLinks, { id })
        return (await within.run(remove, { id })) === 1
      }),
  }
}

/** `People.find`, also for the person of a link or of a session. */
export async function findPerson(database: Database, id: string): Promise<Person | undefined> {
  const row = await database.get(find, { id })
  return row && toPerson(row)
}
