/** Replaces random numbers and ids with a fixed sequence, to make a page produce the same HTML each time. */
export function makeRandomRepeatable(): void {
  let seed = 0x9e3779b9
  const random = () => {
    seed = (Math.imul(seed ^ (seed >>> 15), 0x2c1b3c6d) + 0x6d2b79f5) | 0
    return ((seed ^ (seed >>> 12)) >>> 0) / 4294967296
  }
  Math.random = random
  if (typeof crypto === 'undefined' || !crypto.randomUUID) return
  const hex = () =>
    Math.floor(random() * 65536)
      .toString(16)
      .padStart(4, '0')
  crypto.randomUUID = () => `${hex()}${hex()}-${hex()}-4${hex().slice(1)}-8${hex().slice(1)}-${hex()}${hex()}${hex()}`
}
