import { HttpError } from './http-error.ts'

/** Whether a Content-Type is JSON in UTF-8. */
export function isJson(contentType: string | undefined): boolean {
  const [mediaType = '', ...parameters] = (contentType ?? '').toLowerCase().split(';')
  return (
    mediaType.trim() === 'application/json' &&
    parameters.every(parameter => !parameter.includes('charset') || /^\s*charset\s*=\s*"?utf-8"?\s*$/.test(parameter))
  )
}

/** Returns the error of a request whose body is not JSON. */
export function jsonOnly(): HttpError {
  return new HttpError(415, 'The request body must be JSON. Send it with Content-Type: application/json')
}
