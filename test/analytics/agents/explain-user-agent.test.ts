import { expect, test } from 'vitest'
import { classify } from '../../../server/analytics/agents/classify.ts'
import { explainUserAgent } from '../../../server/analytics/agents/explain-user-agent.ts'
import aiAgents from './user-agents/ai-agents.json' with { type: 'json' }
import classicBots from './user-agents/classic-bots.json' with { type: 'json' }
import humans from './user-agents/humans.json' with { type: 'json' }

test('an AI agent is explained by its list entry', () => {
  expect(explainUserAgent('Mozilla/5.0 (compatible; GPTBot/1.3; +https://openai.com/gptbot)')).toEqual({
    userAgent: 'Mozilla/5.0 (compatible; GPTBot/1.3; +https://openai.com/gptbot)',
    kind: 'ai',
    rule: 'ai: GPTBot',
    why: expect.stringMatching(
      /^A crawler for AI training, by OpenAI: “GPTBot” is in the built-in list ai-agents of 20\d\d-\d\d-\d\d\.$/,
    ),
    list: expect.objectContaining({ name: 'ai-agents', asOf: expect.stringMatching(/^20\d\d-/) }),
    pattern: 'GPTBot',
    found: 'GPTBot',
    operator: 'OpenAI',
    use: 'training',
    source: 'https://developers.openai.com/api/docs/bots',
    notes: [],
  })
})

test.each([
  [
    'Mozilla/5.0 (compatible; AhrefsBot/7.0; +http://ahrefs.com/robot/)',
    /^A program of type seo, not AI: “AhrefsBot” is in the built-in list crawler-user-agents 1\.60\.0 of 2026-08-10\.$/,
  ],
  ['SomethingBot/1.0', /^isbot 5\.2\.3 of 2026-11-09 recognizes “.*Bot.*” as a program\.$/],
  ['Gradle/8.1 (Linux;6.8;amd64)', /^No list contains it, and it names neither a browser nor a device/],
  [
    'Mozilla/5.0 (Linux; Android 15; CPH2557 Build/AP3A.240617.008) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0 Mobile Safari/537.36',
    /takes “AP3A\.240617\.008” for a program, but it is part of “CPH2557 Build\/AP3A\.240617\.008”, the name of the device\.$/,
  ],
  ['-', /^The request has no user agent/],
  [
    'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
    /^No list contains it: it counts as a person/,
  ],
  [
    'Mozilla/5.0 (Linux; Android 9; wv) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/78.0 Mobile MicroMessenger/7.0 Process/tools',
    /^A browser: isbot 5\.2\.3 of 2026-11-09 takes “tools” for a program, but it is part of “Process\/tools”, a process of WeChat/,
  ],
])('%s', (userAgent, why) => {
  expect(explainUserAgent(userAgent).why).toMatch(why)
})

test('a decision against other lists is noted', () => {
  expect(explainUserAgent('Mozilla/5.0 (Macintosh) Safari/605.1.15 (Applebot/0.1)')).toMatchObject({
    kind: 'neither',
    notes: [expect.stringMatching(/^Applebot is not counted as AI: the index of Siri.*\(decided 2026-11-21, https:/)],
  })
  expect(explainUserAgent('Baiduspider/2.0').notes).toEqual([])
})

test('only the beginning of a long user agent is checked, and a note says so', () => {
  expect(explainUserAgent(`${'x'.repeat(1100)} GPTBot`)).toMatchObject({
    rule: expect.not.stringContaining('GPTBot'),
    notes: ['Only the first 1024 of its 1107 characters are checked.'],
  })
})

test('the explanation of every labelled user agent matches the import', () => {
  for (const { userAgents } of [...humans, ...aiAgents, ...classicBots]) {
    for (const userAgent of userAgents) {
      const { kind, rule, use, why, found } = explainUserAgent(userAgent)
      expect({ kind, rule, use }).toEqual({ ...classify(userAgent), agent: undefined })
      expect(why).not.toContain('undefined')
      if (found !== undefined) expect(userAgent).toContain(found)
    }
  }
})
