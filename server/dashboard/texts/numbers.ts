import { describeBytes } from '../../base/format-bytes.ts'

const format = new Intl.NumberFormat('en')

/** Writes a number with separators, such as 12,345. */
export function showNumber(value: number): string {
  return format.format(value)
}

/** Writes a number of bytes, such as 1.5 MB and 20.3 GB. */
export function showBytes(bytes: number): string {
  const gigabytes = bytes / 1024 ** 3
  return gigabytes < 1 ? describeBytes(bytes) : `${showNumber(Math.round(gigabytes * 10) / 10)} GB`
}

/** Writes a number with its noun, such as `1 visitor` and `12,345 visitors`. */
export function showNumberOf(value: number, noun: string): string {
  return `${showNumber(value)} ${noun}${value === 1 ? '' : 's'}`
}
