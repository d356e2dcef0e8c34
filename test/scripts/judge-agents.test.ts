import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { formatJudgement, judge } from '../../scripts/agents/judgement.ts'
import { readLabelled } from '../../scripts/agents/labelled.ts'
import { runProgram } from '../support/program.ts'

const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0'

test('the rates are shares of the user agents with the same label', () => {
  const judgement = judge([
    { label: 'human', source: 'a', userAgents: [firefox, 'curl/8.5.0', 'GPTBot/1.3', firefox] },
    { label: 'ai', source: 'b', userAgents: ['GPTBot/1.3', 'curl/8.5.0'] },
    { label: 'neither', source: 'c', userAgents: ['curl/8.5.0', firefox, 'GPTBot/1.3', 'Wget/1.21'] },
  ])
  expect(judgement).toMatchObject({
    table: { human: { human: 2, ai: 1, neither: 1 }, ai: { human: 0, ai: 1, neither: 1 } },
    aiRecall: 0.5,
    humansCalledOther: 0.5,
    humansCalledAi: 0.25,
    botsCalledHuman: 0.25,
    botsCalledAi: 0.25,
  })
  expect(judgement.misses.length).toBe(5)
  expect(formatJudgement('some', judgement, 2)).toMatch(/AI recall 50\.00 %.*and 3 more$/s)
})

test('a text has one user agent a line and needs a label; JSON has groups', () => {
  expect(readLabelled('a.txt', `${firefox}\r\n\ncurl/8.5.0\n`, 'human')).toEqual([
    { label: 'human', source: 'a.txt', userAgents: [firefox, 'curl/8.5.0'] },
  ])
  expect(() => readLabelled('a.txt', firefox)).toThrow('a.txt is a text: name its label with --label human|ai|neither.')
  expect(() => readLabelled('a.json', '[{"label": "bot"}]')).toThrow('a.json must be a list of')
})

test('the command prints a table for each list', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'quire-judge-'))
  try {
    const file = join(folder, 'browsers.txt')
    await writeFile(file, `${firefox}\n`)
    const script = join(import.meta.dirname, '../../scripts/agents/judge.ts')
    const { code, stdout } = await runProgram([script, '--list', file, '--label', 'human'])
    expect(code).toBe(0)
    expect(stdout).toMatch(/human +1 +0 +0\n.*AI recall -, humans called AI or neither 0\.00 %/s)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})
