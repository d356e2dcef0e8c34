/** A row of a list, after which the next page begins. */
export interface AfterRow {
  createdAt: number
  id: string
}

/** Splits the rows of a page from the one that shows that there is a next page. */
export function toPage<Row>(
  rows: readonly Row[],
  limit: number,
  describe: (row: Row) => AfterRow,
): { rows: Row[]; nextCursor: string | null } {
  const page = rows.slice(0, limit)
  const last = page.at(-1)
  return { rows: page, nextCursor: rows.length > limit && last ? writeCursor(describe(last)) : null }
}

/** Without Buffer, because the mock runs in browsers. */
function writeCursor({ createdAt, id }: AfterRow): string {
  const bytes = new TextEncoder().encode(`${createdAt} ${id}`)
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
}

/** Returns undefined for a text that `toPage` did not write. */
export function readCursor(cursor: string): AfterRow | undefined {
  const [, createdAt, id] = /^(\d{1,15}) (\S{1,300})$/.exec(decode(cursor)) ?? []
  return createdAt === undefined || id === undefined ? undefined : { createdAt: Number(createdAt), id }
}

function decode(cursor: string): string {
  try {
    const bytes = atob(cursor.replaceAll('-', '+').replaceAll('_', '/'))
    return new TextDecoder().decode(Uint8Array.from(bytes, byte => byte.charCodeAt(0)))
  } catch {
    return ''
  }
}

const message = 'cursor is not the nextCursor of an earlier answer. Leave it out to get the first page.'

/** The body of the answer to such a text. */
export const wrongCursor = {
  error: message,
  details: [{ message, field: 'cursor', code: 'wrong_format' }],
  code: 'invalid_request',
}
