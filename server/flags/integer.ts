import { InvalidArgumentError } from 'commander'

/** A parser of whole numbers from `least` to `most`, for a flag. */
export function integer(least: number, most: number): (text: string) => number {
  return text => {
    const value = Number(text)
    if (!/^\d+$/.test(text) || value < least || value > most) {
      throw new InvalidArgumentError(`It must be a whole number from ${least} to ${most}.`)
    }
    return value
  }
}
