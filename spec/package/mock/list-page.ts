/** Returns at most `limit` rows after a row, newest first, and by their ids within an instant, as the server does. */
export function listAfter<Row extends { createdAt: number }>(
  rows: readonly Row[],
  idOf: (row: Row) => string,
  { after, limit }: { after?: { createdAt: number; id: string } | undefined; limit: number },
): Row[] {
  const isBefore = (a: { createdAt: number; id: string }, b: { createdAt: number; id: string }) =>
    a.createdAt > b.createdAt || (a.createdAt === b.createdAt && a.id < b.id)
  const placed = rows.map(row => ({ row, createdAt: row.createdAt, id: idOf(row) }))
  const later = placed.filter(place => !after || isBefore(after, place))
  return later
    .sort((a, b) => (isBefore(a, b) ? -1 : 1))
    .slice(0, limit)
    .map(({ row }) => row)
}
