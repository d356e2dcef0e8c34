import type { Content, Envelope, Unwrap } from './envelope.ts'
import { journald, otlpBody, record } from './record.ts'
import { syslog, syslog5424 } from './syslog.ts'
import { findIsoTimeEnd } from './time-prefix.ts'

const space = 0x20
const quote = 0x22
const backslash = 0x5c

function isAt(bytes: Uint8Array, at: number, wanted: Uint8Array): boolean {
  for (let i = 0; i < wanted.length; i++) if (bytes[at + i] !== wanted[i]) return false
  return true
}

const dockerHead = Buffer.from('{"log":"')
const streamKey = Buffer.from('"stream":"')
/** Docker splits longer lines. */
const maxPieceBytes = 16 * 1024

/**
 * Files of Docker's `json-file` driver: `{"log":"content\n","stream":"stdout","time":"..."}`. A content of 16 KiB without a
 * line break continues in the next line of the same stream.
 * https://docs.docker.com/engine/logging/drivers/json-file/
 */
export const docker: Envelope = {
  name: 'docker',
  title: 'Docker json-file',
  open: openDocker,
}

function openDocker(): Unwrap {
  const text = new JsonText()
  return (bytes, start, end, content) => {
    if (end - start < dockerHead.length || !isAt(bytes, start, dockerHead)) return false
    const from = start + dockerHead.length
    const stop = text.decode(bytes, from, end)
    // The other fields, as docker writes them. A program's own JSON line may begin with `log`, too.
    if (stop === -1 || bytes[end - 1] !== 0x7d) return false
    const stream = findStream(bytes, stop, end)
    if (stream === -1) return false
    // The streams are `stdout` and `stderr`.
    setContent(content, text, bytes[stream + 'std'.length] === 0x65 ? 1 : 0)
    return true
  }
}

function setContent(content: Content, { bytes, length }: JsonText, key: number): void {
  const isWhole = length > 0 && bytes[length - 1] === 0x0a
  const hasReturn = isWhole && length > 1 && bytes[length - 2] === 0x0d
  content.bytes = bytes
  content.start = 0
  content.end = isWhole ? length - (hasReturn ? 2 : 1) : length
  content.isPart = !isWhole && length >= maxPieceBytes
  content.key = key
}

/** Returns the start of the stream's name; -1 when there is none. `Buffer.indexOf` would search beyond the line. */
function findStream(bytes: Uint8Array, from: number, end: number): number {
  for (let i = from; i + streamKey.length < end; i++) {
    let length = 0
    while (length < streamKey.length && bytes[i + length] === streamKey[length]) length++
    if (length === streamKey.length) return i + length
  }
  return -1
}

const escapes = new Map([
  [0x6e, 0x0a],
  [0x72, 0x0d],
  [0x74, 0x09],
  [0x62, 0x08],
  [0x66, 0x0c],
])

/** Decodes the string of a JSON value into a buffer, without creating a string. The buffer is reused by the next call. */
class JsonText {
  /** No text is longer than its line, which has at most 64 KiB. */
  readonly bytes = Buffer.allocUnsafe(64 * 1024)
  length = 0

  /**
   * Decodes the string whose content begins at `start`.
   *
   * @returns the position after the closing quote; -1 when the string is not closed or not valid
   */
  decode(bytes: Buffer, start: number, end: number): number {
    let at = 0
    for (let i = start; i < end; i++) {
      const byte = bytes[i] as number
      if (byte === quote) {
        this.length = at
        return i + 1
      }
      if (byte !== backslash) {
        this.bytes[at++] = byte
        continue
      }
      const next = bytes[++i] as number
      if (next === 0x75) {
        const length = this.#writeCode(bytes, i + 1, at)
        if (length === -1) return -1
        at += length
        // A pair of surrogates has two escapes.
        i += length === 4 ? 10 : 4
      } else this.bytes[at++] = escapes.get(next) ?? next
    }
    return -1
  }

  /** Writes the character of `\uXXXX` as UTF-8, and returns its length; -1 when the digits are not valid. */
  #writeCode(bytes: Buffer, digits: number, at: number): number {
    const first = Number.parseInt(bytes.toString('latin1', digits, digits + 4), 16)
    if (Number.isNaN(first)) return -1
    const isPair = first >= 0xd800 && first <= 0xdbff && bytes[digits + 4] === backslash && bytes[digits + 5] === 0x75
    const second = isPair ? Number.parseInt(bytes.toString('latin1', digits + 6, digits + 10), 16) : Number.NaN
    const text = second >= 0xdc00 && second <= 0xdfff ? String.fromCharCode(first, second) : String.fromCharCode(first)
    return this.bytes.write(text, at, 'utf8')
  }
}

const escapeCharacter = 0x1b
const pipe = 0x7c
const maxNameBytes = 128

/**
 * The output of `docker compose logs`: `web-1  | content`, with or without colors, and with a time before the content when
 * `--timestamps` is set.
 * https://docs.docker.com/reference/cli/docker/compose/logs/
 */
const compose: Envelope = {
  name: 'docker-compose',
  title: 'docker compose logs',
  open: () => unwrapCompose,
}

function unwrapCompose(bytes: Buffer, start: number, end: number, content: Content): boolean {
  const nameStart = skipColor(bytes, start, end)
  let at = nameStart
  while (at < end && at - nameStart <= maxNameBytes && isNameByte(bytes[at] as number)) at++
  if (at === nameStart || bytes[at] !== space) return false
  while (at < end && bytes[at] === space) at++
  if (bytes[at] !== pipe) return false
  at = skipColor(bytes, at + 1, end)
  if (bytes[at] !== space) return false
  at = skipColor(bytes, at + 1, end)
  const timeEnd = findIsoTimeEnd(bytes, at, end)
  content.bytes = bytes
  content.start = timeEnd !== -1 && bytes[timeEnd] === space ? timeEnd + 1 : at
  content.end = end
  content.isPart = false
  return content.start < end
}

/** The names of containers have letters, digits, `_`, `.` and `-`. */
function isNameByte(byte: number): boolean {
  return (
    (byte >= 0x61 && byte <= 0x7a) ||
    (byte >= 0x41 && byte <= 0x5a) ||
    (byte >= 0x30 && byte <= 0x39) ||
    byte === 0x5f ||
    byte === 0x2d ||
    byte === 0x2e
  )
}

/** Returns the end of an escape sequence for a color, such as `ESC[36m`, at `at`, or `at` when there is none. */
function skipColor(bytes: Uint8Array, at: number, end: number): number {
  if (bytes[at] !== escapeCharacter) return at
  let i = at + 1
  while (i < end && i < at + 12 && bytes[i] !== 0x6d) i++
  return bytes[i] === 0x6d ? i + 1 : at
}

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
const kubectl: Envelope = {
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
  if (!isAt(bytes, start, podPrefix)) return start
  const last = Math.min(end - 1, start + maxPrefixBytes)
  for (let at = start + podPrefix.length; at < last; at++) {
    if (bytes[at] === space) return start
    if (bytes[at] === closingBracket) return bytes[at + 1] === space ? at + 2 : start
  }
  return start
}

const stdout = Buffer.from(' stdout ')
const stderr = Buffer.from(' stderr ')

/**
 * Lines of containerd and CRI-O, as Kubernetes stores them: `2026-11-20T10:11:12.123456789Z stdout F content`. With the tag `P`
 * instead of `F`, the content continues in the next line of the same stream.
 * https://github.com/kubernetes/design-proposals-archive/blob/main/node/kubelet-cri-logging.md
 */
const cri: Envelope = {
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

/** All envelopes, which are all detected from the lines. */
export const envelopes: readonly Envelope[] = [
  syslog,
  syslog5424,
  cri,
  docker,
  compose,
  journald,
  kubectl,
  record,
  otlpBody,
]
