import { caddy } from './caddy.ts'
import { cloudfront } from './cloudfront.ts'
import { combined } from './combined.ts'
import { emptyLogLine, type LogFormat } from './log-format.ts'
import { traefik } from './traefik.ts'
import { traefikJson } from './traefik-json.ts'
import { vhostCombined } from './vhost-combined.ts'

/** All formats that are detected from content, in the order of detection: a Traefik line is also a valid combined line. */
export const formats: readonly LogFormat[] = [cloudfront, traefik, vhostCombined, combined, caddy, traefikJson]

/** Detects the format of a line; undefined when it is in no known format. */
export function detectFormat(bytes: Buffer, start: number, end: number): LogFormat | undefined {
  const matches = (format: LogFormat) =>
    format.recognizes
      ? format.recognizes(bytes, start, end)
      : format.open({}).parse(bytes, start, end, emptyLogLine()) === 'request'
  return formats.find(matches)
}
