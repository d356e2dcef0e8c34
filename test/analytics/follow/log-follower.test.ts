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
import { gzipSync, zstdCompressSync } from 'node:zlib'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type FollowPosition, formatPosition, parsePosition } from '../../../server/analytics/follow/follow-position.ts'
import { createPrintHead } from '../../../server/analytics/follow/head-print.ts'
import { listLogEntries } from '../../../server/analytics/follow/log-entries.ts'
import { LogFinder } from '../../../server/analytics/follow/log-finder.ts'
import { LogFollower } from '../../../server/analytics/follow/log-follower.ts'

const graceMs = 30
const printHead = createPrintHead(Buffer.alloc(32, 7))

let folder: string
let log: string
let follower: LogFollower
let warnings: string[]
let position: FollowPosition | null
/** What a splitter holds of a line that has not ended. */
let half: string
let lines: string[]

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'quire-follow-'))
  log = join(folder, 'access.log')
  warnings = []
  lines = []
  position = null
  half = ''
  start()
})
afterEach(async () => {
  await follower.close()
  rmSync(folder, { recursive: true, force: true })
})

/** As a process does that begins: it knows the position and nothing else. */
function start(grace = graceMs): void {
  half = ''
  follower = new LogFollower({
    path: log,
    position: parsePosition(formatPosition(position)),
    printHead,
    graceMs: grace,
    now: Date.now,
    warn: message => warnings.push(message),
  })
}

async function restart(): Promise<void> {
  await follower.close()
  start()
}

/** One look at the files, up to a number of pieces; the position is that of the last piece, as a store keeps it. */
async function poll(most = Number.POSITIVE_INFINITY): Promise<string[]> {
  let count = 0
  for await (const piece of follower.read()) {
    if (piece.startsAnew) half = ''
    const parts = (half + piece.bytes.toString()).split('\n')
    half = parts.pop() ?? ''
    lines.push(...parts)
    position = piece.position
    if (++count >= most) break
  }
  return lines
}

/** Looks until nothing more comes, past the grace time. */
async function pollToEnd(): Promise<string[]> {
  do {
    await poll()
    await setTimeout(10)
  } while (follower.isWaiting)
  return poll()
}

function write(text: string, file = log): void {
  appendFileSync(file, text)
}

function name(number: number): string {
  return `${log}.${number}`
}

/** As logrotate does: the numbers move up, then the log itself. */
function rename(): void {
  moveUp()
  renameSync(log, name(1))
}

function copyTruncate(): void {
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

function compress(number: number): void {
  const { mtime } = statSync(name(number))
  writeFileSync(`${name(number)}.gz`, gzipSync(readFileSync(name(number))))
  utimesSync(`${name(number)}.gz`, mtime, mtime)
  rmSync(name(number))
}

describe('one file', () => {
  test('gives each line once, as it comes', async () => {
    write('a\nb\n')
    expect(await poll()).toEqual(['a', 'b'])
    expect(await poll()).toEqual(['a', 'b'])
    write('c\n')
    expect(await poll()).toEqual(['a', 'b', 'c'])
  })

  test('waits for a file that is not there', async () => {
    expect(await poll()).toEqual([])
    write('a\n')
    expect(await poll()).toEqual(['a'])
    expect(warnings).toEqual([])
  })

  test('leaves half a line until its break arrives, also over a restart', async () => {
    write('a\nhal')
    expect(await poll()).toEqual(['a'])
    await restart()
    write('f')
    expect(await poll()).toEqual(['a'])
    write('\nc')
    expect(await poll()).toEqual(['a', 'half'])
  })

  test('passes a line of a megabyte in pieces, and comes back to its beginning', async () => {
    const long = 'x'.repeat(1_000_000)
    write(`a\n${long}`)
    expect(await poll()).toEqual(['a'])
    expect(half.length).toBeGreaterThan(500_000)
    await restart()
    write('y\nb\n')
    expect(await poll()).toEqual(['a', `${long}y`, 'b'])
  })

  test('keeps no byte of the log in its position', async () => {
    write('192.0.2.1 - - first line\n')
    await poll()
    expect(formatPosition(position)).not.toContain('192')
    expect(position).toMatchObject({ offset: 25, head: { bytes: 25, print: expect.stringMatching(/^[0-9a-f]{32}$/) } })
  })

  test('counts what is ahead', async () => {
    write('a\n')
    await poll()
    expect(await follower.countAheadBytes()).toBe(0)
    write('bcd\n')
    await follower.read().next()
    expect(await follower.countAheadBytes()).toBe(0)
    rename()
    write('123456\n')
    expect(await follower.countAheadBytes()).toBe(7)
  })
})

/** What happens to `a b` already read and `c` not yet, and what comes after. Each is tried with and without a restart. */
const rotations: [string, () => Promise<void> | void, string[]][] = [
  [
    'a rename',
    () => {
      rename()
      write('d\n')
    },
    ['c', 'd'],
  ],
  [
    'a rename to a name with the date',
    () => {
      renameSync(log, `${log}-20261121`)
      write('d\n')
    },
    ['c', 'd'],
  ],
  [
    'a rename, with lines for the old file after it',
    async () => {
      rename()
      write('d\n')
      await poll()
      write('late\n', name(1))
    },
    ['c', 'late', 'd'],
  ],
  [
    'a rename of a file that nobody wrote to for long, with a line for it after all',
    async () => {
      rename()
      utimesSync(name(1), 1_700_000_000, 1_700_000_000)
      write('d\n')
      await poll()
      write('late\n', name(1))
    },
    ['c', 'late', 'd'],
  ],
  [
    'a rename in the middle of a line',
    async () => {
      write('hal')
      rename()
      write('d\n')
      await poll()
      write('f\n', name(1))
    },
    ['c', 'half', 'd'],
  ],
  [
    'a rename after which the last line never ends',
    () => {
      write('hal')
      rename()
      write('d\n')
    },
    ['c', 'hal', 'd'],
  ],
  [
    'a rename and no new file',
    () => {
      rename()
      write('d\n', name(1))
    },
    ['c', 'd'],
  ],
  [
    'two renames between two looks',
    () => {
      rename()
      write('d\n')
      rename()
      write('e\n')
    },
    ['c', 'd', 'e'],
  ],
  [
    'three renames, one of an empty file, and the last file is empty',
    () => {
      rename()
      write('')
      rename()
      write('d\n')
      rename()
      write('')
    },
    ['c', 'd'],
  ],
  [
    'copytruncate',
    () => {
      copyTruncate()
      write('d\n')
    },
    ['c', 'd'],
  ],
  ['copytruncate, and nothing after it', copyTruncate, ['c']],
  [
    'copytruncate, and a file that is larger than before',
    () => {
      copyTruncate()
      write('d\nsomething longer than all that was there\n')
    },
    ['c', 'd', 'something longer than all that was there'],
  ],
  [
    'copytruncate, and a file of the same size',
    () => {
      copyTruncate()
      write('D\nE\nF\n')
    },
    ['c', 'D', 'E', 'F'],
  ],
  [
    'copytruncate twice',
    () => {
      copyTruncate()
      write('d\n')
      copyTruncate()
      write('e\n')
    },
    ['c', 'd', 'e'],
  ],
  [
    'copytruncate after a rename',
    () => {
      rename()
      write('d\n')
      copyTruncate()
      write('e\n')
    },
    ['c', 'd', 'e'],
  ],
  [
    'a rename after copytruncate',
    () => {
      copyTruncate()
      write('d\n')
      rename()
      write('e\n')
    },
    ['c', 'd', 'e'],
  ],
  [
    'a rename and compression',
    () => {
      rename()
      compress(1)
      write('d\n')
    },
    ['c', 'd'],
  ],
  [
    'copytruncate and compression',
    () => {
      copyTruncate()
      compress(1)
      write('d\n')
    },
    ['c', 'd'],
  ],
  [
    'three renames, each compressed',
    () => {
      for (const next of ['d\n', 'e\n', 'f\n']) {
        rename()
        compress(1)
        write(next)
      }
    },
    ['c', 'd', 'e', 'f'],
  ],
  [
    'a rename and compression under way: half a file beside the whole',
    async () => {
      rename()
      const whole = gzipSync(readFileSync(name(1)))
      writeFileSync(`${name(1)}.gz`, whole.subarray(0, whole.length / 2))
      write('d\n')
      await poll()
      writeFileSync(`${name(1)}.gz`, whole)
      rmSync(name(1))
    },
    ['c', 'd'],
  ],
]

describe.each([
  ['running', async () => {}],
  ['restarted after it', restart],
  [
    'restarted after it, and again and again',
    async () => {
      for (let i = 0; i < 3; i++) {
        await restart()
        await poll()
      }
      await restart()
    },
  ],
])('%s', (_, afterwards) => {
  test.each(rotations)('%s loses and doubles no line', async (_, rotate, expected) => {
    write('a\nb\n')
    await poll()
    write('c\n')
    await rotate()
    await afterwards()
    await pollToEnd()
    expect(lines).toEqual(['a', 'b', ...expected])
    expect(warnings).toEqual([])
    write('last\n')
    await pollToEnd()
    expect(lines).toEqual(['a', 'b', ...expected, 'last'])
  })

  test.each(rotations)('%s with all of it read before', async (_, rotate, expected) => {
    write('a\nb\nc\n')
    await poll()
    await rotate()
    await afterwards()
    await pollToEnd()
    expect(lines).toEqual(['a', 'b', ...expected])
    expect(warnings).toEqual([])
  })

  test.each(rotations)('%s with nothing of it read before', async (_, rotate, expected) => {
    await poll()
    write('a\nb\nc\n')
    await rotate()
    await afterwards()
    await pollToEnd()
    expect(lines).toEqual(['a', 'b', ...expected])
    expect(warnings).toEqual([])
  })
})

describe('with what cannot be known', () => {
  beforeEach(async () => {
    write('a\nb\n')
    await poll()
  })
  const message =
    /access\.log was emptied or replaced, and no rotated file beside it goes on where it was read: lines may be/

  test('a server that goes on with the old file is waited for, and it says so once', async () => {
    await follower.close()
    start(150)
    rename()
    write('d\n')
    const late: string[] = []
    while (late.length < 1000 && warnings.length === 0) {
      late.push(`late ${late.length}`)
      write(`${late.at(-1)}\n`, name(1))
      await poll()
      await setTimeout(10)
    }
    write('late at last\n', name(1))
    expect(await pollToEnd()).toEqual(['a', 'b', ...late, 'late at last', 'd'])
    expect(warnings).toEqual([
      expect.stringMatching(/access\.log was rotated, but the file it was is still written to: have/),
    ])
  })

  test('a file that is emptied without a copy is read from its beginning, and it says so', async () => {
    truncateSync(log)
    expect(await poll()).toEqual(['a', 'b'])
    write('c\n')
    expect(await poll()).toEqual(['a', 'b', 'c'])
    expect(warnings).toEqual([expect.stringMatching(message)])
  })

  test('a file that is written anew, and larger, is read from its beginning, and it says so', async () => {
    writeFileSync(log, 'other lines\nand more of them\n')
    expect(await poll()).toEqual(['a', 'b', 'other lines', 'and more of them'])
    expect(warnings).toEqual([expect.stringMatching(message)])
  })

  test('another file that takes its name is read from its beginning, the one it was to its end', async () => {
    write('c\n')
    writeFileSync(`${log}.new`, 'other lines\n')
    renameSync(`${log}.new`, log)
    expect(await pollToEnd()).toEqual(['a', 'b', 'c', 'other lines'])
    expect(warnings).toEqual([])
  })

  test('after a restart it says that the file is gone, and goes on with all that was written since', async () => {
    rmSync(log)
    write('c\n', name(1))
    write('d\n')
    await restart()
    expect(await pollToEnd()).toEqual(['a', 'b', 'c', 'd'])
    expect(warnings).toEqual([expect.stringMatching(message)])
  })

  test('a compressed file that is cut off is read as far as it goes', async () => {
    write(`${'c\n'.repeat(50_000)}`)
    rename()
    const whole = gzipSync(readFileSync(name(1)), { level: 0 })
    writeFileSync(`${name(1)}.gz`, whole.subarray(0, whole.length - 1000))
    rmSync(name(1))
    utimesSync(`${name(1)}.gz`, 1, 1)
    write('d\n')
    await restart()
    await pollToEnd()
    expect(lines.at(-1)).toBe('d')
    expect(lines.length).toBeGreaterThan(49_000)
    expect(warnings).toEqual([expect.stringMatching(/access\.log\.1\.gz ends in the middle of its compressed data/)])
  })
})

test('a restart in the middle of a compressed file goes on there', async () => {
  const text = Array.from({ length: 200_000 }, (_, i) => `line ${i}`)
  write('a\n')
  await poll()
  write(`${text.join('\n')}\n`)
  rename()
  compress(1)
  write('b\n')
  await restart()
  for (let restarts = 0; restarts < 3; restarts++) {
    const before = lines.length
    await poll(2)
    expect(lines.length).toBeGreaterThan(before)
    await restart()
  }
  expect(await pollToEnd()).toEqual(['a', ...text, 'b'])
  expect(warnings).toEqual([])
})

test('a follow begins with the log as it is, not with what was rotated before', async () => {
  for (const [number, text] of [
    [3, 'x\n'],
    [2, 'y\n'],
    [1, 'z\n'],
  ] as const) {
    write(text, name(number))
  }
  compress(3)
  write('a\n')
  position = await new LogFinder(log, printHead).findBeginning(await listLogEntries(log))
  await restart()
  expect(await poll()).toEqual(['a'])
  rename()
  write('b\n')
  await restart()
  expect(await pollToEnd()).toEqual(['a', 'b'])
})

test('a lost position in an empty log leads to what was rotated since the follow began', async () => {
  write('z\n', name(1))
  write('')
  position = await new LogFinder(log, printHead).findBeginning(await listLogEntries(log))
  await restart()
  expect(await poll()).toEqual([])
  write('a\n')
  rename()
  compress(2)
  write('b\n')
  await restart()
  expect(await pollToEnd()).toEqual(['a', 'b'])
})

type Step = 'write' | 'write half' | 'rename' | 'copytruncate' | 'compress' | 'poll' | 'restart'

test('whatever happens in whatever order, each line comes once', async () => {
  const step = fc.oneof(
    { weight: 4, arbitrary: fc.constant<Step>('write') },
    { weight: 3, arbitrary: fc.constantFrom<Step>('poll', 'restart') },
    { weight: 2, arbitrary: fc.constantFrom<Step>('rename', 'copytruncate', 'compress', 'write half') },
  )
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 24 }), async steps => {
      for (const entry of await listLogEntries(log)) rmSync(entry.path)
      position = null
      lines = []
      warnings = []
      await restart()
      /** What was written into each file, oldest first. */
      const texts = ['']
      let count = 0
      for (const step of steps) {
        if (step === 'poll') await poll()
        else if (step === 'restart') await restart()
        else if (step === 'compress') {
          const number = [1, 2, 3].find(number => statSync(name(number), { throwIfNoEntry: false }))
          if (number !== undefined) compress(number)
        } else if (step === 'write' || step === 'write half') {
          const text = `line ${count++}${step === 'write' ? '\n' : ' and '}`
          write(text)
          texts.push(texts.pop() + text)
        } else if (statSync(log, { throwIfNoEntry: false })) {
          if (step === 'rename') rename()
          else copyTruncate()
          texts.push('')
        }
      }
      // Ends the last line, and what was rotated before it.
      write('end\n')
      texts.push(`${texts.pop()}end`)
      await pollToEnd()
      expect(lines).toEqual(texts.flatMap(text => text.split('\n')).filter(Boolean))
      expect(warnings).toEqual([])
    }),
    { numRuns: 150 },
  )
})

test('reads what zstd compressed', async () => {
  write('a\n')
  await poll()
  write('b\n')
  writeFileSync(`${name(1)}.zst`, zstdCompressSync(readFileSync(log)))
  truncateSync(log)
  write('c\n')
  expect(await pollToEnd()).toEqual(['a', 'b', 'c'])
  expect(warnings).toEqual([])
})
