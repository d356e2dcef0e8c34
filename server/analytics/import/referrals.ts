import { type AssistantSite, findAssistantSite } from '../assistant-sites.ts'
import type { LogLine } from '../formats/log-format.ts'
import { ByteTable } from '../hash-table.ts'

/** Referring hosts whose result is kept. When there are more, all are forgotten. */
const maxCached = 10_000
const maxHostBytes = 255
const maxQueryBytes = 2048

const slash = 0x2f
const colon = 0x3a
const questionMark = 0x3f
const utmSource = Buffer.from('utm_source=')

/**
 * Finds the AI assistant that led to a request, without creating a string for hosts seen before.
 *
 * The Referer header decides. If it is missing, as from the ChatGPT app, `utm_source` in the query decides: ChatGPT adds
 * `utm_source=chatgpt.com` to its links (https://help.openai.com/en/articles/12627856-publishers-and-developers-faq).
 * `utm_source` beside another referrer is ignored: people copy such links to other sites.
 */
export class Referrals {
  readonly #table = new ByteTable()
  #sites: (AssistantSite | undefined)[] = []

  find(line: LogLine): AssistantSite | undefined {
    const { bytes, referrerStart, referrerEnd, queryStart, queryEnd } = line
    if (referrerEnd > referrerStart) {
      const start = findHost(bytes, referrerStart, referrerEnd)
      return start === -1 ? undefined : this.#findSite(bytes, start, findHostEnd(bytes, start, referrerEnd))
    }
    return queryEnd > queryStart ? this.#findSource(line) : undefined
  }

  /** Finds the host of the referrer of a line, or its assistant; undefined when it has none. Creates strings. */
  findAny(line: LogLine): string | undefined {
    const assistant = this.find(line)?.site
    const { bytes, referrerStart, referrerEnd } = line
    const start = assistant === undefined ? findHost(bytes, referrerStart, referrerEnd) : -1
    if (start === -1) return assistant
    const host = bytes.toString('latin1', start, findHostEnd(bytes, start, referrerEnd)).toLowerCase()
    return /^[a-z0-9.-]{1,100}$/.test(host) ? host.replace(/^www\./, '') : undefined
  }

  #findSite(bytes: Buffer, start: number, end: number): AssistantSite | undefined {
    const number = this.#table.find(bytes, start, end)
    if (number !== -1) return this.#sites[number]
    if (this.#table.size >= maxCached) {
      this.#table.clear()
      this.#sites = []
      this.#table.find(bytes, start, end)
    }
    const site = findAssistantSite(bytes.toString('latin1', start, end).toLowerCase())
    this.#table.add(bytes, start, end)
    this.#sites.push(site)
    return site
  }

  /** Finds the site of `utm_source` in the query. */
  #findSource({ bytes, queryStart, queryEnd }: LogLine): AssistantSite | undefined {
    // Apache writes a question mark before the query.
    const from = bytes[queryStart] === questionMark ? queryStart + 1 : queryStart
    const end = findQueryEnd(bytes, from, queryEnd)
    for (let start = from; start < end; ) {
      let next = bytes.indexOf(0x26, start)
      if (next === -1 || next > end) next = end
      if (startsWith(bytes, start, next, utmSource)) return this.#findSite(bytes, start + utmSource.length, next)
      start = next + 1
    }
    return undefined
  }
}

/** Returns the start of the host of an http(s) URL; -1 for other texts. */
function findHost(bytes: Buffer, start: number, end: number): number {
  const isHttp = bytes[start] === 0x68 && bytes[start + 1] === 0x74 && bytes[start + 3] === 0x70
  if (!isHttp) return -1
  const scheme = bytes[start + 4] === 0x73 ? start + 5 : start + 4
  const isUrl = bytes[scheme] === colon && bytes[scheme + 1] === slash && bytes[scheme + 2] === slash
  return isUrl && scheme + 3 < end ? scheme + 3 : -1
}

function findHostEnd(bytes: Buffer, start: number, end: number): number {
  const last = Math.min(end, start + maxHostBytes)
  for (let i = start; i < last; i++) {
    const byte = bytes[i]
    if (byte === slash || byte === colon || byte === questionMark || byte === 0x23) return i
  }
  return last
}

/** Returns the end of a query: the next space, quote, fragment or control character, or `end`. */
function findQueryEnd(bytes: Buffer, start: number, end: number): number {
  const last = Math.min(end, start + maxQueryBytes)
  let i = start
  for (; i < last; i++) {
    const byte = bytes[i] as number
    if (byte <= 0x20 || byte === 0x22 || byte === 0x23) break
  }
  return i
}

function startsWith(bytes: Buffer, start: number, end: number, text: Uint8Array): boolean {
  if (end - start < text.length) return false
  for (let i = 0; i < text.length; i++) if (bytes[start + i] !== text[i]) return false
  return true
}
