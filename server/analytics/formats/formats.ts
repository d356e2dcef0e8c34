import { alb, elb } from './aws-elb.ts'
import { s3 } from './aws-s3.ts'
import { azureFrontDoor } from './azure-front-door.ts'
import { caddy } from './caddy.ts'
import { cloudflare } from './cloudflare.ts'
import { cloudfront } from './cloudfront.ts'
import { combined, findTail } from './combined.ts'
import { fastly } from './fastly.ts'
import { googleCloud } from './google-cloud.ts'
import { haproxy } from './haproxy.ts'
import { ingressNginx } from './ingress-nginx.ts'
import { parseEntry } from './json-line.ts'
import type { LogFormat } from './log-format.ts'
import { netlify } from './netlify.ts'
import { traefik } from './traefik.ts'
import { traefikJson } from './traefik-json.ts'
import { vercel } from './vercel.ts'
import { vhostCombined } from './vhost-combined.ts'
import { w3c } from './w3c.ts'

/**
 * All formats that are detected from content, in the order of detection: a line of Traefik or ingress-nginx is also a valid
 * combined line.
 */
export const formats: readonly LogFormat[] = [
  cloudfront,
  w3c,
  traefik,
  ingressNginx,
  vhostCombined,
  combined,
  alb,
  elb,
  s3,
  haproxy,
  caddy,
  traefikJson,
  cloudflare,
  googleCloud,
  fastly,
  vercel,
  netlify,
  azureFrontDoor,
]

/** Detects the format of a line; undefined when it is in no known format. */
export function detectFormat(bytes: Buffer, start: number, end: number): LogFormat | undefined {
  if (bytes[start] === 0x7b) {
    const entry = parseEntry(bytes, start, end)
    return entry && formats.find(format => format.recognizesEntry?.(entry))
  }
  // Parsed once for all formats that continue a combined line.
  const tail = findTail(bytes, start, end)
  return formats.find(
    format => format.recognizes?.(bytes, start, end) || (tail !== undefined && format.recognizesTail?.(tail)),
  )
}
