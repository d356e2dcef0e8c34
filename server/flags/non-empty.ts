import { InvalidArgumentError } from 'commander'

/** Creates a flag parser that refuses empty texts, which would silently mean something else. */
export function nonEmpty(what: string): (text: string) => string {
  return text => {
    if (text.trim() === '') throw new InvalidArgumentError(`It must be ${what}.`)
    return text
  }
}
