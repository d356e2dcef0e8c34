import { describe, expect, test } from 'vitest'
import { runQuire } from '../support/process.ts'

const bot = 'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.3; +https://openai.com/gptbot)'
const line = `203.0.113.9 - - [20/Nov/2026:10:11:12 +0000] "GET /guide.md HTTP/1.1" 200 512 "-" "${bot}"`
const image = line.replace('/guide.md', '/logo.png')

const explain = (args: readonly string[], input = '') => runQuire(['visits', 'explain', ...args], { input })

describe('quire visits explain', () => {
  test('explains a user agent by the rule, the list and its source', async () => {
    const { code, stdout } = await explain([bot])
    expect(code).toBe(0)
    expect(stdout).toMatch(/^Counts as +AI$/m)
    expect(stdout).toMatch(/^Rule +ai: GPTBot$/m)
    expect(stdout).toMatch(/^Why .*crawler.*OpenAI/m)
    expect(stdout).toMatch(/^List +ai-agents of \d{4}-\d\d-\d\d/m)
    expect(stdout).toMatch(/^See +https:/m)
  })

  test('prints the same as JSON', async () => {
    const { stdout } = await explain([bot, '--json'])
    expect(JSON.parse(stdout)).toMatchObject({ userAgent: bot, kind: 'ai', rule: 'ai: GPTBot' })
  })

  test('explains what a line counts as, step by step', async () => {
    const { code, stdout } = await explain(['--line', line])
    expect(code).toBe(0)
    expect(stdout).toMatch(/^Counts as +page view of \/guide on 2026-11-20, AI$/m)
    expect(stdout).toMatch(/^Format +combined/m)
  })

  test('answers each line of standard input', async () => {
    const { stdout } = await explain(['--line', '-', '--json'], `${line}\n${image}\nnonsense\n`)
    const answers = stdout
      .trim()
      .split('\n')
      .map(answer => JSON.parse(answer))
    expect(answers.map(({ countsAs, kind }) => [countsAs, kind])).toEqual([
      ['page view', 'ai'],
      ['filtered: asset', undefined],
      ['malformed: wrong-format', undefined],
    ])
  })

  test.each([
    { about: 'nothing to explain', args: [], message: 'Give a user agent, or --line LINE' },
    { about: 'two things to explain', args: [bot, '--line', line], message: 'Give a user agent, or --line LINE' },
    { about: 'a line in place of a user agent', args: [line], message: 'Explain it with --line' },
    { about: 'a flag that cannot be', args: ['--line', line, '--format', 'morse'], message: 'morse' },
  ])('refuses $about', async ({ args, message }) => {
    const { code, stderr } = await explain(args)
    expect(code).toBe(2)
    expect(stderr).toContain(message)
  })
})
