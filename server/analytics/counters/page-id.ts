import { hash } from 'node:crypto'

/** Ids have 48 bits: exact in a number, and enough that of 500 projects with a million pages about one has a collision. */
const idBits = 48
const lastId = 2 ** idBits - 1

/**
 * Returns the id of a page in counter blocks: the first 48 bits of the SHA-256 of its path, or 1 instead of 0, which is the
 * site. If another page has that id, the next free one.
 */
export function toPageId(path: string, isTaken: (id: number) => boolean): number {
  const digest = hash('sha256', path, 'buffer')
  let id = digest.readUIntBE(0, idBits / 8)
  while (id === 0 || isTaken(id)) id = id === lastId ? 1 : id + 1
  return id
}
