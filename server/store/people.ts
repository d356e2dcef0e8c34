import type { People, Person } from '../tenancy/person.ts'
import type { Database } from './database.ts'
import { prepareListPart } from './list-part.ts'
import { type PersonRow, toPerson } from './person-row.ts'

export function openPeople(database: Database): People {
  const insert = database.prepare<PersonRow>(
    'INSERT INTO people (id, organization_id, name, created_at) VALUES (@id, @organization_id, @name, @created_at)',
  )
  const find = prepareFindPerson(database)
  const listAll = database.prepare<[], PersonRow>('SELECT * FROM people ORDER BY name, id')
  const list = database.prepare<{ organizationId: string | null }, PersonRow>(
    'SELECT * FROM people WHERE organization_id IS @organizationId ORDER BY name, id',
  )
  const listPart = prepareListPart<PersonRow>(database, {
    columns: '*',
    from: 'people',
    where: 'organization_id IS @owner',
    searched: 'name',
    order: 'name, id',
  })
  const findNamed = database.prepare<{ organizationId: string | null; name: string }, PersonRow>(
    'SELECT * FROM people WHERE organization_id IS @organizationId AND name = @name',
  )
  const deleteSessions = database.prepare<{ id: string }>('DELETE FROM sessions WHERE person_id = @id')
  const deleteLinks = database.prepare<{ id: string }>('DELETE FROM sign_in_links WHERE person_id = @id')
  const remove = database.prepare<{ id: string }>('DELETE FROM people WHERE id = @id')

  return {
    insert(person) {
      insert.run({
        id: person.id,
        organization_id: person.organizationId,
        name: person.name,
        created_at: person.createdAt,
      })
    },
    find,
    list: organizationId => (organizationId === undefined ? listAll.all() : list.all({ organizationId })).map(toPerson),
    listPart(organizationId, part) {
      const { rows, count } = listPart(organizationId, part)
      return { rows: rows.map(toPerson), count }
    },
    findNamed(organizationId, name) {
      const row = findNamed.get({ organizationId, name })
      return row && toPerson(row)
    },
    delete: database.transaction((id: string) => {
      deleteSessions.run({ id })
      deleteLinks.run({ id })
      return remove.run({ id }).changes === 1
    }).immediate,
  }
}

/** Prepares `People.find`, also for the person of a link or of a session. */
export function prepareFindPerson(database: Database): (id: string) => Person | undefined {
  const find = database.prepare<{ id: string }, PersonRow>('SELECT * FROM people WHERE id = @id')
  return id => {
    const row = find.get({ id })
    return row && toPerson(row)
  }
}
