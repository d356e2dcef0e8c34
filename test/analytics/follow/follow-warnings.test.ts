import {
  appendFileSync,
  closeSync,
  copyFileSync,
  existsSync,
  openSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { expect, test } from 'vitest'
import { createJsonFormat, parseJsonFields } from '../../../server/analytics/formats/json.ts'
import { countVisitors, follow, log, setUpFollow, warnings, write } from './follow-set-up.ts'
import { toAddress, toLine } from './numbered-lines.ts'

setUpFollow()

test.each([
  ['userAgent=agent', ['the lines lack agent (userAgent).']],
  ['userAgent=u', []],
])('with %s, warns of the fields that no line has', async (setting, expected) => {
  const toJson = (i: number) =>
    `${JSON.stringify({ t: '2026-11-20T10:00:00Z', m: 'GET', p: '/a', s: 200, u: 'Mozilla/5.0 Firefox/131.0', a: toAddress(i) })}\n`
  for (let i = 0; i < 120; i++) appendFileSync(log, toJson(i))
  const format = createJsonFormat(parseJsonFields(`time=t,method=m,path=p,status=s,${setting},address=a`))
  await follow({ once: true, format })
  expect(warnings.filter(text => text.includes('lack'))).toEqual(expected.map(text => `${log}: ${text}`))
})

test('a hole of NULs that copytruncate leaves is skipped and told', async () => {
  write(0, 200)
  await follow({ once: true })
  copyFileSync(log, `${log}.1`)
  truncateSync(log)
  // The web server goes on at its old position.
  const lines = Array.from({ length: 150 }, (_, i) => toLine(200 + i)).join('')
  appendFileSync(log, `${'\0'.repeat(50_000)}${lines}`)
  const { tally } = await follow({ once: true })
  expect(tally).toMatchObject({ newVisitorDays: 150, malformed: { 'wrong-format': 0 } })
  expect(await countVisitors()).toBe(350)
  expect(warnings).toEqual([`${log}: 50000 NUL bytes before lines skipped, as copytruncate leaves them.`])
})

test('every line is counted if the web server goes on at its old place after each copytruncate', async () => {
  let at = 0
  let next = 0
  const append = (count: number) => {
    const text = Array.from({ length: count }, () => toLine(next++)).join('')
    const file = openSync(log, 'r+')
    at += writeSync(file, text, at)
    closeSync(file)
  }
  const rotate = () => {
    for (let number = 5; number >= 1; number--) {
      if (existsSync(`${log}.${number}`)) renameSync(`${log}.${number}`, `${log}.${number + 1}`)
    }
    copyFileSync(log, `${log}.1`)
    truncateSync(log)
  }
  writeFileSync(log, '')
  for (let generation = 0; generation < 3; generation++) {
    append(100)
    await follow({ once: true })
    append(100)
    rotate()
    append(100)
  }
  await follow({ once: true })
  expect(await countVisitors()).toBe(next)
  expect(warnings.filter(text => text.includes('may be missing'))).toEqual([])
})

test('warns if rotated files begin alike', async () => {
  write(0, 20)
  await follow({ once: true })
  write(20, 25)
  renameSync(log, `${log}.2`)
  copyFileSync(`${log}.2`, `${log}.1`)
  copyFileSync(`${log}.2`, `${log}.3`)
  rmSync(`${log}.2`)
  await follow({ once: true })
  expect(warnings.filter(text => text.includes('begin alike'))).toHaveLength(1)
})
