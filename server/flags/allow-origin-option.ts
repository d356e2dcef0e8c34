import { Option } from 'commander'
import { OperatorError } from '../base/operator-error.ts'
import { parseAllowedOrigin } from '../tenancy/site.ts'

/** `--allow-origin`, for every command that exports a site or registers one. */
export function allowOriginOption(): Option {
  return new Option(
    '--allow-origin <url>',
    'let pages load files from this private origin too, such as http://10.0.0.7:9000; may be repeated',
  ).argParser(addOrigins)
}

/** Reads the values at once, so that `quire doctor` finds a variable that cannot be used. The variable may have several. */
function addOrigins(text: string, before: string[] = []): string[] {
  const texts = text.split(/\s+/).filter(Boolean)
  if (texts.length === 0)
    throw new OperatorError(
      '--allow-origin is empty. Give an origin, such as http://10.0.0.7:9000, or leave it out.',
      2,
    )
  return readAllowedOrigins([...before, ...texts], '--allow-origin')
}

/**
 * Returns the origins, sorted and without repetitions.
 *
 * @param what names the flag or argument in messages.
 * @throws {OperatorError} wrong usage.
 */
export function readAllowedOrigins(texts: readonly string[], what: string): string[] {
  const origins = texts.map(text => {
    const origin = parseAllowedOrigin(text)
    if (origin !== undefined) return origin
    throw new OperatorError(
      `${what} ${text} must be scheme, host and port, without user, path, query and wildcard. Example: http://10.0.0.7:9000`,
      2,
    )
  })
  return [...new Set(origins)].sort()
}
