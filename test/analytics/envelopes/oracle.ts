/** A request as the reference readers find it; independent of the code of the server. */
export interface OracleRequest {
  address: string
  ms: number
  method: string
  target: string
  status: string
  agent: string
}

/** Reads one line: a request, a valid line that is not a request, or a line that cannot be read. */
export type Oracle = (line: string) => OracleRequest | 'comment' | undefined

/** Writes a request as a line in combined format. */
export function toCombined({ address, ms, method, target, status, agent }: OracleRequest): string {
  const [day, time] = new Date(ms).toISOString().split('T') as [string, string]
  const [year, month, date] = day.split('-')
  const name = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ')[Number(month) - 1]
  const request = `${method} ${escapeField(target)} HTTP/1.1`
  return `${address} - - [${date}/${name}/${year}:${time.slice(0, 8)} +0000] "${request}" ${status} 1 "-" "${escapeField(agent)}"`
}

function escapeField(text: string): string {
  return text.replaceAll('\\', '\\x5C').replaceAll('"', '\\x22')
}

const quoted = String.raw`"((?:[^"\\]|\\.)*)"`
const combinedTail = String.raw`\[(.{26})\] ${quoted} (\d{3}) (?:\d+|-) ${quoted} ${quoted}`

/** Undoes `\"`, `\\` and `\xNN`. */
function unescapeField(text: string): string {
  return text.replace(/\\(?:x(..)|(.))/g, (_, hex, char) =>
    hex ? String.fromCharCode(Number.parseInt(hex, 16)) : char,
  )
}

function parseClfDate(text: string): number {
  const [, date, month, year, time, zone] = /^(\d+)\/(\w+)\/(\d+):(\S+) (\S+)$/.exec(text) ?? []
  return Date.parse(`${date} ${month} ${year} ${time} ${zone}`)
}

function splitRequest(request: string): { method: string; target: string } {
  const [, method = 'NONE', target = '/'] = /^([A-Z]+) (.*?)(?: HTTP\/[\d.]+)?$/.exec(request) ?? []
  return { method, target }
}

function readCombined(pattern: RegExp): Oracle {
  return line => {
    const match = pattern.exec(line)
    if (!match) return undefined
    const [address = '', date = '', request = '', status = '', , agent = ''] = match.slice(1)
    return {
      address,
      ms: parseClfDate(date),
      ...splitRequest(unescapeField(request)),
      status,
      agent: unescapeField(agent),
    }
  }
}

/** `address - user [date] "request" status size "referrer" "agent"`, and anything after it. */
export const combined = readCombined(new RegExp(`^(\\S+) - .+? ${combinedTail}`))
/** The same after the host. */
export const vhost = readCombined(new RegExp(`^\\S+ (\\S+) - .+? ${combinedTail}`))
/** The same after the host and a list of addresses. The peers are private, so the last address of the list is the client. */
export const forwarded = readCombined(
  new RegExp(`^\\S+:\\d+ (?:"-" |"(?:[^"]*, )?)(\\S+?)(?:" \\S+)? - .+? ${combinedTail}$`),
)

/** Reads lines whose content follows a prefix. */
export function behind(prefix: RegExp, inner: Oracle): Oracle {
  return line => {
    const match = prefix.exec(line)
    return match ? inner(line.slice(match[0].length)) : undefined
  }
}

/** Reads lines that are JSON objects. */
// biome-ignore lint/suspicious/noExplicitAny: the lines of a sample have any fields.
export function json(read: (entry: any) => ReturnType<Oracle>): Oracle {
  return line => {
    try {
      return read(JSON.parse(line))
    } catch {
      return undefined
    }
  }
}

/** Reads W3C logs; `pick` names the column of the address. */
export function createW3c(separator: string, addressColumn = 'c-ip'): Oracle {
  let names: string[] = []
  return line => {
    if (line.startsWith('#Fields: ')) names = line.slice(9).split(' ')
    if (line.startsWith('#')) return 'comment'
    const values = line.split(separator)
    if (values.length !== names.length) return undefined
    const entry = Object.fromEntries(names.map((name, i) => [name, values[i] as string]))
    const agent = entry['cs(User-Agent)'] as string
    return {
      address: (entry[addressColumn] as string).split(',')[0] as string,
      ms: Date.parse(`${entry.date}T${entry.time}Z`),
      method: entry['cs-method'] as string,
      target: entry['cs-uri-stem'] as string,
      status: entry['sc-status'] as string,
      agent: separator === ' ' ? agent.replaceAll('+', ' ') : decodeURIComponent(agent),
    }
  }
}

/** Reads load balancer logs: the positions of time, client, status, request and agent among the words. */
export function loadBalancer(time: number, client: number, status: number, request: number): Oracle {
  return line => {
    const words = line.match(/"[^"]*"|\S+/g)
    if (!words || words.length < request + 3) return undefined
    return {
      address: (words[client] as string).replace(/:\d+$/, '').replace(/[[\]]/g, ''),
      ms: Date.parse(words[time] as string),
      ...splitRequest((words[request] as string).slice(1, -1)),
      status: (words[status] as string).replace('-', '000'),
      agent: (words[request + 1] as string).slice(1, -1),
    }
  }
}

const s3Line = /^\S+ \S+ \[(.{26})\] (\S+) \S+ \S+ (\S+) \S+ "([^"]*)" (\d+) \S+ \S+ \S+ \S+ \S+ "[^"]*" "([^"]*)"/

export const s3: Oracle = line => {
  const [, date = '', address = '', operation = '', request = '', status = '', agent = ''] = s3Line.exec(line) ?? []
  if (operation === '') return undefined
  if (!operation.endsWith('.OBJECT')) return 'comment'
  return { address, ms: parseClfDate(date), ...splitRequest(request), status, agent }
}

const haproxyLine =
  /haproxy\[\d+\]: ([\da-f:.]+):\d+ \[([^.]+)\.\d+\] \S+ \S+ \S+ (-?\d+) .*? \{([^|{}]*)\|([^|{}]*)\|([^|{}]*)\}(?: \{[^}]*\})? "([^"]*)"$/

/** HAProxy in syslog, with the captured headers host, referrer and user agent. */
export const haproxy: Oracle = line => {
  const match = haproxyLine.exec(line)
  if (!match) return undefined
  const [, address = '', date = '', status = '', , , agent = '', request = ''] = match
  const decode = (text: string) =>
    Buffer.from(
      text.replace(/#(..)/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16))),
      'latin1',
    ).toString()
  return { address, ms: parseClfDate(`${date} +0000`), ...splitRequest(decode(request)), status, agent: decode(agent) }
}
