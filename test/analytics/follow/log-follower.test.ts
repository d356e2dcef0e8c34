import { readFileSync, renameSync, rmSync, truncateSync, utimesSync, writeFileSync } from 'node:fs'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { formatPosition } from '../../../server/analytics/follow/follow-position.ts'
import {
  changeAfterListing,
  compress,
  copyTruncate,
  follower,
  half,
  lines,
  log,
  name,
  poll,
  pollToEnd,
  position,
  rename,
  restart,
  start,
  startAtBeginning,
  useFollowedLog,
  warnings,
  write,
} from './followed-log.ts'

useFollowedLog()

describe('one file', () => {
  test('returns each line once, as it arrives', async () => {
    write('a\nb\n')
    expect(await poll()).toEqual(['a', 'b'])
    expect(await poll()).toEqual(['a', 'b'])
    write('c\n')
    expect(await poll()).toEqual(['a', 'b', 'c'])
  })

  test('waits for a missing file', async () => {
    expect(await poll()).toEqual([])
    write('a\n')
    expect(await poll()).toEqual(['a'])
    expect(warnings).toEqual([])
  })

  test('keeps a partial line until its break arrives, also across a restart', async () => {
    write('a\nhal')
    expect(await poll()).toEqual(['a'])
    await restart()
    write('f')
    expect(await poll()).toEqual(['a'])
    write('\nc')
    expect(await poll()).toEqual(['a', 'half'])
  })

  test('returns a line of a megabyte in pieces, and resumes at its beginning', async () => {
    const long = 'x'.repeat(1_000_000)
    write(`a\n${long}`)
    expect(await poll()).toEqual(['a'])
    expect(half.length).toBeGreaterThan(500_000)
    await restart()
    write('y\nb\n')
    expect(await poll()).toEqual(['a', `${long}y`, 'b'])
  })

  test('stores no byte of the log in its position', async () => {
    write('192.0.2.1 - - first line\n')
    await poll()
    expect(formatPosition(position)).not.toContain('192.0')
    expect(position).toMatchObject({ offset: 25, head: { bytes: 25, print: expect.stringMatching(/^[0-9a-f]{32}$/) } })
  })

  test('counts the bytes not read yet', async () => {
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

describe('if the rotation is unclear', () => {
  beforeEach(async () => {
    write('a\nb\n')
    await poll()
  })
  const message =
    /access\.log was emptied or replaced, and no rotated file continues where reading stopped: lines may be/

  test('waits while the server still writes to the old file, and warns once', async () => {
    await follower.close()
    // Each reading of this clock adds 5 ms, so that a slow machine does not use up the grace time.
    let nowMs = 0
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => (nowMs += 5))
    onTestFinished(() => clock.mockRestore())
    start(150)
    rename()
    write('d\n')
    const late: string[] = []
    while (late.length < 1000 && warnings.length === 0) {
      late.push(`late ${late.length}`)
      write(`${late.at(-1)}\n`, name(1))
      await poll()
    }
    write('late at last\n', name(1))
    expect(await pollToEnd()).toEqual(['a', 'b', ...late, 'late at last', 'd'])
    expect(warnings).toEqual([
      expect.stringMatching(/access\.log was rotated, but the web server still writes to the old file\./),
    ])
  })

  test('reads a file emptied without a copy from its beginning, and warns', async () => {
    truncateSync(log)
    expect(await poll()).toEqual(['a', 'b'])
    write('c\n')
    expect(await poll()).toEqual(['a', 'b', 'c'])
    expect(warnings).toEqual([expect.stringMatching(message)])
  })

  test('reads a rewritten, larger file from its beginning, and warns', async () => {
    writeFileSync(log, 'other lines\nand more of them\n')
    expect(await poll()).toEqual(['a', 'b', 'other lines', 'and more of them'])
    expect(warnings).toEqual([expect.stringMatching(message)])
  })

  test('reads the replaced file to its end, then the new file from its beginning', async () => {
    write('c\n')
    writeFileSync(`${log}.new`, 'other lines\n')
    renameSync(`${log}.new`, log)
    expect(await pollToEnd()).toEqual(['a', 'b', 'c', 'other lines'])
    expect(warnings).toEqual([])
  })

  test('warns after a restart that the file is gone, and reads everything written since', async () => {
    rmSync(log)
    write('c\n', name(1))
    write('d\n')
    await restart()
    expect(await pollToEnd()).toEqual(['a', 'b', 'c', 'd'])
    expect(warnings).toEqual([expect.stringMatching(message)])
  })

  test.each([
    ['long ago', 1],
    ['before the clock was set back by a year', Date.now() / 1000 + 365 * 86_400],
  ])('reads a truncated compressed file, written %s, as far as possible', async (_, modifiedAt) => {
    write(`${'c\n'.repeat(50_000)}`)
    rename()
    const whole = gzipSync(readFileSync(name(1)), { level: 0 })
    writeFileSync(`${name(1)}.gz`, whole.subarray(0, whole.length - 1000))
    rmSync(name(1))
    utimesSync(`${name(1)}.gz`, modifiedAt, modifiedAt)
    write('d\n')
    await restart()
    await pollToEnd()
    expect(lines.at(-1)).toBe('d')
    expect(lines.length).toBeGreaterThan(49_000)
    expect(warnings).toEqual([expect.stringMatching(/access\.log\.1\.gz is truncated/)])
  })
})

test('a restart in the middle of a compressed file resumes there', async () => {
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

test('the first run begins with the current file, not with rotated files', async () => {
  for (const [number, text] of [
    [3, 'x\n'],
    [2, 'y\n'],
    [1, 'z\n'],
  ] as const) {
    write(text, name(number))
  }
  compress(3)
  write('a\n')
  await startAtBeginning()
  expect(await poll()).toEqual(['a'])
  rename()
  write('b\n')
  await restart()
  expect(await pollToEnd()).toEqual(['a', 'b'])
})

test('reads the copy first if the log is copied and emptied between listing and opening', async () => {
  write('a\n')
  rename()
  await startAtBeginning()
  write('b\n')
  changeAfterListing(() => {
    copyTruncate()
    write('c\n')
  })
  expect(await pollToEnd()).toEqual(['b', 'c'])
  expect(warnings).toEqual([])
})

test('reads its file if another one has got the name between listing and opening', async () => {
  write('a\n')
  rename()
  await startAtBeginning()
  write('b\n')
  rename()
  compress(1)
  write('c\n')
  changeAfterListing(() => {
    rename()
    compress(1)
    write('d\n')
  })
  expect(await pollToEnd()).toEqual(['b', 'c', 'd'])
  expect(warnings).toEqual([])
})

test('if the saved position was in an empty log, the files rotated since then are read', async () => {
  write('z\n', name(1))
  write('')
  await startAtBeginning()
  expect(await poll()).toEqual([])
  write('a\n')
  rename()
  compress(2)
  write('b\n')
  await restart()
  expect(await pollToEnd()).toEqual(['a', 'b'])
})

test('reads files compressed with zstd', async () => {
  write('a\n')
  await poll()
  write('b\n')
  writeFileSync(`${name(1)}.zst`, zstdCompressSync(readFileSync(log)))
  truncateSync(log)
  write('c\n')
  expect(await pollToEnd()).toEqual(['a', 'b', 'c'])
  expect(warnings).toEqual([])
})
