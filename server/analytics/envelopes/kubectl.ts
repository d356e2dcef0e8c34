import type { Content, Envelope } from './envelope.ts'
import { findIsoTimeEnd } from './time-prefix.ts'

const space = 0x20
const bracket = 0x5b
const closingBracket = 0x5d
const podPrefix = Buffer.from('[pod/')
/** A name of a pod has at most 253 bytes, and a name of a container at most 63. */
const maxPrefixBytes = 400

/**
 * The output of `kubectl logs` with `--prefix`, `--timestamps` or both, `[pod/web-7d4b/nginx] 2026-11-20T10:11:12.123456789Z
 * content`, and of `docker logs --timestamps`, which has only the time.
 * https://kubernetes.io/docs/reference/kubectl/generated/kubectl_logs/
 */
export const kubectl: Envelope = {
  name: 'kubectl',
  title: 'kubectl logs',
  open: () => unwrapKubectl,
}

function unwrapKubectl(bytes: Buffer, start: number, end: number, content: Content): boolean {
  const prefixEnd = skipPrefix(bytes, start, end)
  const timeEnd = findIsoTimeEnd(bytes, prefixEnd, end)
  const at = timeEnd !== -1 && bytes[timeEnd] === space ? timeEnd + 1 : prefixEnd
  if (at === start || at >= end) return false
  content.bytes = bytes
  content.start = at
  content.end = end
  content.isPart = false
  content.key = 0
  return true
}

/** Returns the start of the text after `[pod/NAME/CONTAINER] `, or `start` when there is none. */
function skipPrefix(bytes: Buffer, start: number, end: number): number {
  if (bytes[start] !== bracket) return start
  for (let i = 0; i < podPrefix.length; i++) if (bytes[start + i] !== podPrefix[i]) return start
  const last = Math.min(end - 1, start + maxPrefixBytes)
  for (let at = start + podPrefix.length; at < last; at++) {
    if (bytes[at] === space) return start
    if (bytes[at] === closingBracket) return bytes[at + 1] === space ? at + 2 : start
  }
  return start
}
