import type { Content, Envelope } from './envelope.ts'
import { findIsoTimeEnd } from './time-prefix.ts'

const space = 0x20
const stdout = Buffer.from(' stdout ')
const stderr = Buffer.from(' stderr ')

/**
 * Lines of containerd and CRI-O, as Kubernetes stores them: `2026-11-20T10:11:12.123456789Z stdout F content`. With the tag `P`
 * instead of `F`, the content continues in the next line of the same stream.
 * https://github.com/kubernetes/design-proposals-archive/blob/main/node/kubelet-cri-logging.md
 */
export const cri: Envelope = {
  name: 'cri',
  title: 'containerd (CRI)',
  open: () => unwrapCri,
}

function unwrapCri(bytes: Buffer, start: number, end: number, content: Content): boolean {
  const timeEnd = findIsoTimeEnd(bytes, start, end)
  if (timeEnd === -1) return false
  const isStdout = isAt(bytes, timeEnd, stdout)
  if (!isStdout && !isAt(bytes, timeEnd, stderr)) return false
  const tag = timeEnd + stdout.length
  const isPart = bytes[tag] === 0x50
  if (!isPart && bytes[tag] !== 0x46) return false
  // Other tags may follow after a colon.
  const tagEnd = bytes[tag + 1] === 0x3a ? bytes.indexOf(space, tag) : tag + 1
  if (tagEnd === -1 || bytes[tagEnd] !== space || tagEnd >= end) return false
  content.bytes = bytes
  content.start = tagEnd + 1
  content.end = end
  content.isPart = isPart
  content.key = isStdout ? 0 : 1
  return true
}

function isAt(bytes: Uint8Array, at: number, wanted: Uint8Array): boolean {
  for (let i = 0; i < wanted.length; i++) if (bytes[at + i] !== wanted[i]) return false
  return true
}
