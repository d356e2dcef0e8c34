import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { LogReplacedError } from '../../../server/analytics/follow/open-log.ts'
import { openPlainLog } from '../../../server/analytics/follow/plain-log.ts'

let folder: string
let path: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'quire-plain-log-'))
  path = join(folder, 'access.log')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

async function open(offset: number, isComplete = false) {
  const log = await openPlainLog({ path, offset, isComplete })
  onTestFinished(() => log.close())
  return log
}

describe('a file that is shorter than what was read', () => {
  test('was replaced if it is the log, also if its beginning is the same', async () => {
    writeFileSync(path, 'a\nb\n')
    const log = await open(0)
    expect(String(await log.read())).toBe('a\nb\n')
    expect(await log.read()).toBeNull()
    truncateSync(path, 2)
    await expect(log.read()).rejects.toThrow(LogReplacedError)
  })

  test('has nothing more if it is a copy', async () => {
    writeFileSync(path, 'a\n')
    const log = await open(4, true)
    expect([await log.read(), await log.readRest(), log.aheadBytes]).toEqual([null, null, 0])
  })
})

describe('the header of a log that is opened in the middle', () => {
  const header = '#Version: 1.0\n#Fields: time c-ip\n'
  const second = '#Fields: time cs-uri-stem\n'

  test.each([
    ['its beginning', `${header}1 2\n`, '', header],
    ['the last line of fields before that place', `${header}1 2\n${second}3 4\n`, `${header}5 6\n`, second],
    ['one that is far before that place', `${header}1 2\n${second}${'3 4\n'.repeat(200_000)}`, '', second],
    ['nothing if the log begins with a line', `1 2\n${second}`, '', ''],
  ])('is %s', async (_, before, after, want) => {
    writeFileSync(path, before + after)
    expect(String((await open(before.length)).header)).toBe(want)
  })

  test('is found across the border of two pieces', async () => {
    const piece = 256 * 1024
    for (const shift of [0, 1, 5, 8, 9, 10]) {
      const rest = 'x'.repeat(piece - second.length - 1 + shift)
      const text = `${header}1 2\n${second}${rest}\n`
      writeFileSync(path, text)
      expect([shift, String((await open(text.length)).header)]).toEqual([shift, second])
    }
  })
})
