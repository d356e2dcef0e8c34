import {
  appendFileSync,
  copyFileSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach } from 'vitest'
import { type FollowPosition, formatPosition, parsePosition } from '../../../server/analytics/follow/follow-position.ts'
import { listLogEntries } from '../../../server/analytics/follow/log-entries.ts'
import { LogFinder } from '../../../server/analytics/follow/log-finder.ts'
import { createHeadFingerprinter, type HeadFingerprint } from '../../../server/analytics/follow/log-fingerprint.ts'
import { LogFollower } from '../../../server/analytics/follow/log-follower.ts'

const graceMs = 30
const fingerprint = createHeadFingerprinter(Buffer.alloc(32, 7))
let beforeFingerprint: (() => void) | undefined

function fingerprintHead(head: Uint8Array): HeadFingerprint {
  const change = beforeFingerprint
  beforeFingerprint = undefined
  change?.()
  return fingerprint(head)
}

let folder: string
/** Path of the log. */
export let log: string
export let follower: LogFollower
export let warnings: string[]
/** The position that a store would have saved. */
export let position: FollowPosition | null
/** The beginning of a line whose line break has not been read yet. */
export let half: string
/** All complete lines read so far, in order. */
export let lines: string[]

/** Creates a folder and a follower that has read nothing, before each test. */
export function useFollowedLog(): void {
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'quire-follow-'))
    log = join(folder, 'access.log')
    forget()
    start()
  })
  afterEach(async () => {
    await follower.close()
    rmSync(folder, { recursive: true, force: true })
  })
}

function forget(): void {
  position = null
  lines = []
  warnings = []
}

/** Deletes the log and its rotated files, forgets the position and the lines, and restarts the follower. */
export async function beginAnew(): Promise<void> {
  for (const entry of await listLogEntries(log)) rmSync(entry.path)
  forget()
  await restart()
}

/** Restarts at the position where the first run of a follow begins. */
export async function startAtBeginning(): Promise<void> {
  position = await new LogFinder(log, fingerprintHead).findBeginning(await listLogEntries(log))
  await restart()
}

/** Creates a follower as a new process does: it knows only the saved position. */
export function start(grace = graceMs): void {
  half = ''
  follower = new LogFollower({
    path: log,
    position: parsePosition(formatPosition(position)),
    fingerprintHead,
    graceMs: grace,
    now: Date.now,
    warn: message => warnings.push(message),
  })
}

export async function restart(): Promise<void> {
  await follower.close()
  start()
}

/** Changes the files when the follower next looks for a file by its head: after it listed them, before it opens one. */
export function changeAfterListing(change: () => void): void {
  beforeFingerprint = change
}

/** Reads the files once, at most `most` pieces, and saves the position of the last piece. Returns all lines so far. */
export async function poll(most = Number.POSITIVE_INFINITY): Promise<string[]> {
  let count = 0
  for await (const piece of follower.read()) {
    if (piece.startsFile) half = ''
    const parts = (half + piece.bytes.toString()).split('\n')
    half = parts.pop() ?? ''
    lines.push(...parts)
    position = piece.position
    if (++count >= most) break
  }
  return lines
}

/** Polls until the follower waits for nothing, also not for the end of the grace time. */
export async function pollToEnd(): Promise<string[]> {
  do {
    await poll()
    await setTimeout(10)
  } while (follower.isWaiting)
  return poll()
}

export function write(text: string, file = log): void {
  appendFileSync(file, text)
}

export function name(number: number): string {
  return `${log}.${number}`
}

/** Renames as logrotate does: first the numbered files, then the log. */
export function rename(): void {
  moveUp()
  renameSync(log, name(1))
}

export function copyTruncate(): void {
  moveUp()
  copyFileSync(log, name(1))
  truncateSync(log)
}

function moveUp(): void {
  for (let number = 29; number >= 1; number--) {
    for (const end of ['', '.gz']) {
      if (statSync(name(number) + end, { throwIfNoEntry: false }))
        renameSync(name(number) + end, name(number + 1) + end)
    }
  }
}

export function compress(number: number): void {
  const { mtime } = statSync(name(number))
  writeFileSync(`${name(number)}.gz`, gzipSync(readFileSync(name(number))))
  utimesSync(`${name(number)}.gz`, mtime, mtime)
  rmSync(name(number))
}
