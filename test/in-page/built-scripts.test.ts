import { describe, expect, test } from 'vitest'
import * as scripts from '../../generated/in-page.ts'

describe.each(Object.entries(scripts))('%s', (_name, text) => {
  test('is an expression whose value is a function', () => {
    expect(new Function(`return typeof ${text}`)()).toBe('function')
  })

  test('may be put inside a script element of a page in any encoding', () => {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the range is ASCII itself
    expect(text).toMatch(/^[\x00-\x7f]*$/)
    expect(text).not.toMatch(/<\/script|<!--/i)
  })
})

const guards = { guardPage: scripts.guardPage, startApp: scripts.startApp }
test.each(Object.entries(guards))('%s has no syntax newer than 2015', (_name, text) => {
  expect(text).not.toMatch(/\?\.|\?\?|\*\*|\basync[ (]|\.\.\.|catch\{/)
})
