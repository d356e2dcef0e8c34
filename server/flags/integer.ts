import { InvalidArgumentError } from 'commander'

/** Creates a flag parser for whole numbers from `min` to `max`. */
export function integer(min: number, max: number): (text: string) => number {
  return text => {
    const value = Number(text)
    if (!/^\d+$/.test(text) || value < min || value > max) {
      throw new InvalidArgumentError(`It must be a whole number from ${min} to ${max}.`)
    }
    return value
  }
}
