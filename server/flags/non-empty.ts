import { InvalidArgumentError } from 'commander'

/** A parser of texts that name something, for a flag: an empty one would silently mean something else. */
export function nonEmpty(what: string): (text: string) => string {
  return text => {
    if (text.trim() === '') throw new InvalidArgumentError(`It must be ${what}.`)
    return text
  }
}
