import type { SignInLinks } from '../tenancy/sign-in.ts'
import { atomic, get, run, sql, type Works } from './noun.ts'
import { people } from './people.ts'

interface Row {
  token_sha256: Buffer
  person_id: string
  created_at: number
  expires_at: number
}

const deleteExpired = sql<{ now: number }>('DELETE FROM sign_in_links WHERE expires_at <= @now')
const insert = sql<Row>(
  `INSERT INTO sign_in_links (token_sha256, person_id, created_at, expires_at)
   VALUES (@token_sha256, @person_id, @created_at, @expires_at)`,
)
const find = sql<{ tokenSha256: Buffer; now: number }, Pick<Row, 'person_id'>>(
  'SELECT person_id FROM sign_in_links WHERE token_sha256 = @tokenSha256 AND expires_at > @now',
)
const take = sql<{ tokenSha256: Buffer; now: number }, Pick<Row, 'person_id'>>(
  'DELETE FROM sign_in_links WHERE token_sha256 = @tokenSha256 AND expires_at > @now RETURNING person_id',
)

export const signInLinks: Works<SignInLinks> = {
  insert: atomic(function* ({ tokenSha256, personId, createdAt, expiresAt }: Parameters<SignInLinks['insert']>[0]) {
    yield* run(deleteExpired, { now: createdAt })
    yield* run(insert, {
      token_sha256: tokenSha256,
      person_id: personId,
      created_at: createdAt,
      expires_at: expiresAt,
    })
  }),
  *find(tokenSha256, now) {
    const row = yield* get(find, { tokenSha256, now })
    return row && (yield* people.find(row.person_id))
  },
  take: atomic(function* (tokenSha256: Buffer, now: number) {
    const row = yield* get(take, { tokenSha256, now })
    return row && (yield* people.find(row.person_id))
  }),
}
