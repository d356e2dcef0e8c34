/** Bytes of the dimensions of an array, and of the length before each element. */
const headBytes = 20
const lengthBytes = 4

/** https://www.postgresql.org/docs/current/catalog-pg-type.html */
const types = { int4: 23, uuid: 2950, bytea: 17 }

/**
 * Encodes an array of `integer` as PostgreSQL receives it, see `array_recv` in its sources. The driver would write a text: an import
 * sends millions of elements.
 */
export function toIntegers(numbers: ArrayLike<number>): Buffer {
  const array = createArray(types.int4, numbers.length, numbers.length * 4)
  for (let i = 0, at = headBytes; i < numbers.length; i++, at += 8) {
    array.writeInt32BE(4, at)
    array.writeInt32BE(numbers[i] as number, at + lengthBytes)
  }
  return array
}

/** The same for `bytea`. */
export function toByteas(values: readonly Uint8Array[]): Buffer {
  return toBytes(types.bytea, values)
}

/** The same for `uuid`. Each value has 16 bytes. */
export function toUuids(values: readonly Uint8Array[]): Buffer {
  return toBytes(types.uuid, values)
}

function toBytes(type: number, values: readonly Uint8Array[]): Buffer {
  let bytes = 0
  for (const value of values) bytes += value.length
  const array = createArray(type, values.length, bytes)
  let at = headBytes
  for (const value of values) {
    array.writeInt32BE(value.length, at)
    array.set(value, at + lengthBytes)
    at += lengthBytes + value.length
  }
  return array
}

function createArray(type: number, length: number, bytes: number): Buffer {
  const array = Buffer.allocUnsafe(headBytes + length * lengthBytes + bytes)
  const head = [1, 0, type, length, 1]
  for (const [i, number] of head.entries()) array.writeInt32BE(number, i * 4)
  return array
}
