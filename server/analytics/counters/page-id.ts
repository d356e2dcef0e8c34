import { hash } from 'node:crypto'

/**
 * Ids have 48 bits. A number holds them exactly, and among 500 projects with a million pages each, about one has a
 * collision.
 */
const idBits = 48
const lastId = 2 ** idBits - 1

/**
 * Returns the id of a page in counter blocks: the first 48 bits of the SHA-256 of its path. Id 0 is the site, so 1
 * replaces it. If another page has the id, returns the next free id.
 */
export function toPageId(path: string, isTaken: (id: number) => boolean): number {
  const digest = hash('sha256', path, 'buffer')
  let id = digest.readUIntBE(0, idBits / 8)
  while (id === 0 || isTaken(id)) id = id === lastId ? 1 : id + 1
  return id
}
