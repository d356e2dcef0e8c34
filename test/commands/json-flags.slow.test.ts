import { expect, test } from 'vitest'
import { readAllHelp } from '../support/help.ts'
import { calledAs } from '../support/process.ts'

/** Commands whose output is a log, a protocol or a script. */
const withoutJson = ['serve', 'docs', 'visits script']
const helps = await readAllHelp()

test('every command whose output a program may read has --json', () => {
  const leaves = helps.filter(({ name, text }) => name !== '' && !text.includes('\nCommands:\n'))
  expect(leaves.length).toBeGreaterThan(20)
  const lacking = leaves.filter(({ text }) => !/^ {2}--json\b/m.test(text)).map(({ name }) => name)
  expect(lacking).toEqual(withoutJson)
})

test('every message and help names a command that can be pasted', () => {
  const groups = helps.map(({ name }) => name.split(' ')[0]).filter(Boolean)
  // The single binary is called without npx.
  const wrongStart = calledAs === 'quire' ? 'npx ' : '(?<!npx |Usage: )(?<![\\w`/-])'
  const bare = new RegExp(`.{30}${wrongStart}quire (?:${[...new Set(groups)].join('|')})\\b`, 'g')
  const wrong = helps.flatMap(({ text }) => text.replaceAll(/\s+/g, ' ').match(bare) ?? [])
  expect(wrong).toEqual([])
})
