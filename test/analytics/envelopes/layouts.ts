import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { LogSettings } from '../../../server/analytics/envelopes/log-settings.ts'

/** How a product writes its log, and what Quire does with it. */
export interface Layout {
  name: string
  /** What the layout needs to be read; undefined = it is refused. */
  settings: LogSettings | undefined
  /** What an operator does about a refused layout. */
  remedy: string | undefined
  /** The lines, with `@A@` for the address, `@P@` for the path, and `@U@` for the user agent (`@E@` and `@+@`: encoded). */
  text: string
}

export interface LayoutRequest {
  address: string
  path: string
  userAgent: string
}

/** Reads the layouts of `layouts.txt`: a name, the result, and the lines as the product's public documentation shows them. */
export function readLayouts(): Layout[] {
  const text = readFileSync(join(import.meta.dirname, 'layouts.txt'), 'utf8')
  return text
    .split(/^## /m)
    .slice(1)
    .map(part => {
      const [, name = '', result = '', lines = ''] = /^(.*)\n(.*)\n([\s\S]*)$/.exec(part) ?? []
      const [, kind, value = ''] = /^(detected|flags|refused)(?:: (.*))?$/.exec(result) ?? []
      if (!kind) throw new Error(`${name}: ${result} is no result.`)
      const settings = kind === 'flags' ? (JSON.parse(value) as LogSettings) : {}
      const isRefused = kind === 'refused'
      return {
        name,
        settings: isRefused ? undefined : settings,
        remedy: isRefused ? value : undefined,
        text: lines,
      }
    })
}

/** Writes requests in a layout. A JSON array has its element once for each request. */
export function writeLog({ text }: Layout, requests: readonly LayoutRequest[]): string {
  const array = /^(\{"records":)?\[\n([\s\S]*)\n(\]\}?)\n$/.exec(text)
  if (array) {
    const [, head = '', element = '', tail] = array
    return `${head}[\n${requests.map(request => fill(element, request)).join(',\n')}\n${tail}\n`
  }
  return text
    .trimEnd()
    .split('\n')
    .flatMap(line => (/@[AP]@/.test(line) ? requests.map(request => fill(line, request)) : [line]))
    .join('\n')
}

function fill(text: string, { address, path, userAgent }: LayoutRequest): string {
  return text
    .replaceAll('@A@', address)
    .replaceAll('@P@', path)
    .replaceAll('@p@', path.slice(1))
    .replaceAll('@U@', userAgent)
    .replaceAll('@E@', encodeURIComponent(userAgent))
    .replaceAll('@+@', userAgent.replaceAll(' ', '+'))
}

const flags = [
  ['format', 'format'],
  ['jsonFields', 'json-fields'],
  ['timeZone', 'timezone'],
] as const

/** Writes the rows of the table in the documentation. */
export function writeTable(layouts: readonly Layout[]): string {
  const rows = layouts.map(({ name, settings, remedy }) => {
    const given = flags.flatMap(([key, flag]) => (settings?.[key] ? [`--${flag} '${settings[key]}'`] : []))
    const result = remedy ? `refused: ${remedy}` : given.length > 0 ? `\`${given.join(' ')}\`` : 'detected'
    return `| ${name} | ${result.replaceAll('|', '\\|')} |`
  })
  return ['| layout | result |', '| --- | --- |', ...rows].join('\n')
}
