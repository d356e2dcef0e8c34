const maxFieldCharacters = 8192
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

interface LoggedRequest {
  req: {
    method?: string | undefined
    url?: string | undefined
    httpVersion: string
    headers: { referer?: string | undefined; 'user-agent'?: string | undefined }
  }
  client: string
  status: number
  sentBytes: number
  atMs: number
}

/** Writes a request as a line in the combined format of nginx and Apache, with its line break and the time in UTC. */
export function writeCombinedLine({ req, client, status, sentBytes, atMs }: LoggedRequest): string {
  const { method, url, httpVersion, headers } = req
  const request = escapeField(`${method} ${url} HTTP/${httpVersion}`)
  const referrer = escapeField(headers.referer ?? '-')
  const userAgent = escapeField(headers['user-agent'] ?? '-')
  return `${client} - - [${writeDate(atMs)}] "${request}" ${status} ${sentBytes} "${referrer}" "${userAgent}"\n`
}

function writeDate(atMs: number): string {
  const at = new Date(atMs)
  const two = (number: number) => String(number).padStart(2, '0')
  const time = [at.getUTCHours(), at.getUTCMinutes(), at.getUTCSeconds()].map(two).join(':')
  return `${two(at.getUTCDate())}/${months[at.getUTCMonth()]}/${at.getUTCFullYear()}:${time} +0000`
}

/** Escapes quotes and all bytes that are not printable ASCII, as nginx does. Node reads each byte of a header as one character. */
function escapeField(text: string): string {
  return text.slice(0, maxFieldCharacters).replaceAll(/["\\]|[^\x20-\x7e]/g, toEscape)
}

function toEscape(character: string): string {
  return `\\x${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`
}
