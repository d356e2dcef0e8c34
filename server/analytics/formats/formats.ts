import { caddy } from './caddy.ts'
import { cloudfront } from './cloudfront.ts'
import { combined } from './combined.ts'
import { emptyLogLine, type LogFormat } from './log-format.ts'
import { traefik } from './traefik.ts'
import { traefikJson } from './traefik-json.ts'
import { vhostCombined } from './vhost-combined.ts'

/** All formats that are told by their content, in the order they are tried: a line of Traefik is a combined one too. */
export const formats: readonly LogFormat[] = [cloudfront, traefik, vhostCombined, combined, caddy, traefikJson]

/** The format of a line; undefined when it is in none that is known. */
export function detectFormat(bytes: Buffer, start: number, end: number): LogFormat | undefined {
  const isIn = (format: LogFormat) =>
    format.recognizes
      ? format.recognizes(bytes, start, end)
      : format.open({}).parse(bytes, start, end, emptyLogLine()) === 'request'
  return formats.find(isIn)
}
