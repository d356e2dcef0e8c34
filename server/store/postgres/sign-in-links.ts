import type { SignInLinks } from '../../tenancy/sign-in.ts'
import type { Database } from './database.ts'
import { findPerson } from './people.ts'
import { statement } from './statement.ts'

interface Row {
  token_sha256: Buffer
  person_id: string
  created_at: number
  expires_at: number
}

const deleteExpired = statement<{ now: number }>('DELETE FROM sign_in_links WHERE expires_at <= @now')
const insert = statement<Row>(
  `INSERT INTO sign_in_links (token_sha256, person_id, created_at, expires_at)
   VALUES (@token_sha256, @person_id, @created_at, @expires_at)`,
)
const find = statement<{ tokenSha256: Buffer; now: number }, Pick<Row, 'person_id'>>(
  'SELECT person_id FROM sign_in_links WHERE token_sha256 = @tokenSha256 AND expires_at > @now',
)
const take = statement<{ tokenSha256: Buffer; now: number }, Pick<Row, 'person_id'>>(
  'DELETE FROM sign_in_links WHERE token_sha256 = @tokenSha256 AND expires_at > @now RETURNING person_id',
)

export function openSignInLinks(database: Database): SignInLinks {
  return {
    insert: ({ tokenSha256, personId, createdAt, expiresAt }) =>
      database.atomically(async within => {
        await within.run(deleteExpired, { now: createdAt })
        await within.run(insert, {
          token_sha256: tokenSha256,
          person_id: personId,
          created_at: createdAt,
          expires_at: expiresAt,
        })
      }),
    async find(tokenSha256, now) {
      const row = await database.get(find, { tokenSha256, now })
      return row && findPerson(database, row.person_id)
    },
    take: (tokenSha256, now) =>
      database.atomically(async within => {
        const row = await within.get(take, { tokenSha256, now })
        return row && findPerson(within, row.person_id)
      }),
  }
}
