import type { People } from '../tenancy/person.ts'
import { listInParts } from './list-part.ts'
import { all, atomic, get, run, sql, type Works } from './noun.ts'
import { type PersonRow, toPerson } from './person-row.ts'

const insert = sql<PersonRow>(
  'INSERT INTO people (id, organization_id, name, created_at) VALUES (@id, @organization_id, @name, @created_at)',
)
export const findPerson = sql<{ id: string }, PersonRow>('SELECT * FROM people WHERE id = @id')
const listAll = sql<object, PersonRow>('SELECT * FROM people ORDER BY name, id')
const list = sql<{ organizationId: string | null }, PersonRow>(
  'SELECT * FROM people WHERE organization_id IS NOT DISTINCT FROM @organizationId ORDER BY name, id',
)
const listPart = listInParts<PersonRow>({
  columns: '*',
  from: 'people',
  where: 'organization_id IS NOT DISTINCT FROM @owner',
  searched: 'name',
  order: 'name, id',
})
const findNamed = sql<{ organizationId: string | null; name: string }, PersonRow>(
  'SELECT * FROM people WHERE organization_id IS NOT DISTINCT FROM @organizationId AND name = @name',
)
// So that no session or link begins meanwhile.
const lock = sql<{ id: string }, object>('SELECT 1 FROM people WHERE id = @id FOR UPDATE')
const deleteSessions = sql<{ id: string }>('DELETE FROM sessions WHERE person_id = @id')
const deleteLinks = sql<{ id: string }>('DELETE FROM sign_in_links WHERE person_id = @id')
const remove = sql<{ id: string }>('DELETE FROM people WHERE id = @id')

export const people: Works<People> = {
  *insert({ id, organizationId, name, createdAt }) {
    yield* run(insert, { id, organization_id: organizationId, name, created_at: createdAt })
  },
  *find(id) {
    const row = yield* get(findPerson, { id })
    return row && toPerson(row)
  },
  *list(organizationId) {
    const rows = organizationId === undefined ? yield* all(listAll, {}) : yield* all(list, { organizationId })
    return rows.map(toPerson)
  },
  *listPart(organizationId, part) {
    const { rows, count } = yield* listPart(organizationId, part)
    return { rows: rows.map(toPerson), count }
  },
  *findNamed(organizationId, name) {
    const row = yield* get(findNamed, { organizationId, name })
    return row && toPerson(row)
  },
  delete: atomic(function* (id: string) {
    yield* all(lock, { id })
    yield* run(deleteSessions, { id })
    yield* run(deleteLinks, { id })
    return (yield* run(remove, { id })) === 1
  }),
}
