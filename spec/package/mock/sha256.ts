const blockBytes = 64
const constants = listConstants()

/**
 * Returns the SHA-256 (FIPS 180-4). Web browsers have it only as a promise, and the test environment jsdom has none. Use it for small
 * data: the one of the platform is much faster.
 */
export function sha256(data: Uint8Array): Uint8Array {
  const state = Uint32Array.of(
    0x6a09e667,
    0xbb67ae85,
    0x3c6ef372,
    0xa54ff53a,
    0x510e527f,
    0x9b05688c,
    0x1f83d9ab,
    0x5be0cd19,
  )
  const padded = pad(data)
  for (let offset = 0; offset < padded.byteLength; offset += blockBytes) addBlock(state, padded, offset)
  const digest = new Uint8Array(32)
  for (const [i, word] of state.entries()) new DataView(digest.buffer).setUint32(i * 4, word)
  return digest
}

/** Returns the SHA-256 in hex. */
export function toHex(digest: Uint8Array): string {
  return Array.from(digest, byte => byte.toString(16).padStart(2, '0')).join('')
}

/** Returns the SHA-256 of a text in base64url. */
export function hashText(text: string): string {
  const base64 = btoa(String.fromCharCode(...sha256(new TextEncoder().encode(text))))
  return base64.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')
}

/** Appends one bit, zeros, and the length in bits. */
function pad(data: Uint8Array): DataView {
  const padded = new Uint8Array(Math.ceil((data.length + 9) / blockBytes) * blockBytes)
  padded.set(data)
  padded[data.length] = 0x80
  const view = new DataView(padded.buffer)
  view.setBigUint64(padded.length - 8, BigInt(data.length) * 8n)
  return view
}

function addBlock(state: Uint32Array, data: DataView, offset: number): void {
  const words = new Uint32Array(64)
  for (let i = 0; i < 16; i++) words[i] = data.getUint32(offset + i * 4)
  for (let i = 16; i < 64; i++) {
    const [w2, w7, w15, w16] = [2, 7, 15, 16].map(back => words[i - back] as number) as [number, number, number, number]
    const s0 = rotate(w15, 7) ^ rotate(w15, 18) ^ (w15 >>> 3)
    const s1 = rotate(w2, 17) ^ rotate(w2, 19) ^ (w2 >>> 10)
    words[i] = w16 + s0 + w7 + s1
  }
  let [a, b, c, d, e, f, g, h] = state as unknown as [number, number, number, number, number, number, number, number]
  for (let i = 0; i < 64; i++) {
    const s1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)
    const choice = (e & f) ^ (~e & g)
    const first = (h + s1 + choice + (constants[i] as number) + (words[i] as number)) >>> 0
    const s0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)
    const majority = (a & b) ^ (a & c) ^ (b & c)
    ;[h, g, f, e, d, c, b, a] = [g, f, e, (d + first) >>> 0, c, b, a, (first + s0 + majority) >>> 0]
  }
  for (const [i, word] of [a, b, c, d, e, f, g, h].entries()) state[i] = (state[i] as number) + word
}

function rotate(word: number, by: number): number {
  return (word >>> by) | (word << (32 - by))
}

/** The first 32 bits of the fractions of the cube roots of the first 64 primes. */
function listConstants(): Uint32Array {
  const primes: number[] = []
  for (let n = 2; primes.length < 64; n++) if (primes.every(prime => n % prime !== 0)) primes.push(n)
  return Uint32Array.from(primes, prime => (Math.cbrt(prime) % 1) * 2 ** 32)
}
