import type { SignInLinks } from '../tenancy/sign-in.ts'
import type { Database } from './database.ts'
import { prepareFindPerson } from './people.ts'

interface Row {
  token_sha256: Buffer
  person_id: string
  created_at: number
  expires_at: number
}

export function openSignInLinks(database: Database): SignInLinks {
  const deleteExpired = database.prepare<{ now: number }>('DELETE FROM sign_in_links WHERE expires_at <= @now')
  const insert = database.prepare<Row>(
    `INSERT INTO sign_in_links (token_sha256, person_id, created_at, expires_at)
     VALUES (@token_sha256, @person_id, @created_at, @expires_at)`,
  )
  const find = database
    .prepare<{ tokenSha256: Buffer; now: number }, string>(
      'SELECT person_id FROM sign_in_links WHERE token_sha256 = @tokenSha256 AND expires_at > @now',
    )
    .pluck()
  const take = database
    .prepare<{ tokenSha256: Buffer; now: number }, string>(
      'DELETE FROM sign_in_links WHERE token_sha256 = @tokenSha256 AND expires_at > @now RETURNING person_id',
    )
    .pluck()
  const findPerson = prepareFindPerson(database)
  const toPerson = (personId: string | undefined) => (personId === undefined ? undefined : findPerson(personId))

  return {
    insert: database.transaction((link: Parameters<SignInLinks['insert']>[0]) => {
      deleteExpired.run({ now: link.createdAt })
      insert.run({
        token_sha256: link.tokenSha256,
        person_id: link.personId,
        created_at: link.createdAt,
        expires_at: link.expiresAt,
      })
    }).immediate,
    find: (tokenSha256, now) => toPerson(find.get({ tokenSha256, now })),
    take: database.transaction((tokenSha256: Buffer, now: number) => toPerson(take.get({ tokenSha256, now })))
      .immediate,
  }
}
