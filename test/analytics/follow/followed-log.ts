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
import { createHeadFingerprinter } from '../../../server/analytics/follow/log-fingerprint.ts'
import { LogFollower } from '../../../server/analytics/follow/log-follower.ts'

const graceMs = 30
const fingerprintHead = createHeadFingerprinter(Buffer.alloc(32, 7))

let folder: string
/** Path of the log. */
export let log: string
export let follower: LogFollower
export let warnings: string[]
/** As it is kept. */
export let position: FollowPosition | null
/** What a splitter holds of a line that has not ended. */
export let half: string
/** All that came, in this order. */
export let lines: string[]

/** Gives each test of a file a folder of its own, and a follower that nothing was read by. */
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

/** Removes the log and all that it was rotated into, and what was read of them. */
export async function beginAnew(): Promise<void> {
  for (const entry of await listLogEntries(log)) rmSync(entry.path)
  forget()
  await restart()
}

/** As the first follow of a log begins. */
export async function startAtBeginning(): Promise<void> {
  position = await new LogFinder(log, fingerprintHead).findBeginning(await listLogEntries(log))
  await restart()
}

/** As a process does that begins: it knows the position and nothing else. */
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

/** One look at the files, up to a number of pieces; the position is that of the last piece, as a store keeps it. */
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

/** Looks until nothing more comes, past the grace time. */
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

/** As logrotate does: the numbers move up, then the log itself. */
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
