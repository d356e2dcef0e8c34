import crawlers from 'crawler-user-agents'
import { expect, test } from 'vitest'
import aiAgents from '../../../server/analytics/agents/ai-agents.json' with { type: 'json' }
import { classify } from '../../../server/analytics/agents/classify.ts'
import { demoAgents } from '../../../server/commands/demo/access-log.ts'

const chrome = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0'

const android = (device: string) =>
  `Mozilla/5.0 (Linux; Android 15; ${device}) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.7444.142 Mobile Safari/537.36`

test.each([
  ['', 'neither', 'empty'],
  ['-', 'neither', 'empty'],
  ['   ', 'neither', 'empty'],
  [`${chrome} Safari/537.36`, 'human', 'browser'],
  [`${chrome} Electron/39.1.0 Safari/537.36`, 'human', 'browser'],
  [
    'Mozilla/5.0 (Linux; Android 9; CUBOT_X19) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/139.0.0.0 Mobile Safari/537.36',
    'human',
    'browser',
  ],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/22G86 [FBAN/FBIOS;FBAV/530.0.0.49.70]',
    'human',
    'browser',
  ],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Mobile/15E148 DuckDuckGo/7 Safari/605.1.15',
    'human',
    'browser',
  ],
  ['Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)', 'ai', 'ai: GPTBot'],
  ['Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; Perplexity-User/1.0)', 'ai', 'ai: Perplexity-User'],
  ['Claude-User (claude-code/2.0.14; +https://support.anthropic.com/)', 'ai', 'ai: claude-code'],
  ['claudebot/1.0', 'ai', 'ai: ClaudeBot'],
  ['meta-externalfetcher/1.1', 'ai', 'ai: Meta-ExternalFetcher'],
  [`${chrome} Safari/537.36 Devin/1.0`, 'ai', 'ai: Devin'],
  [`${chrome} Safari/537.36 Devine/1.0`, 'human', 'browser'],
  ['Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)', 'neither', 'search-engine: Googlebot'],
  ['Mozilla/5.0 (compatible; AhrefsBot/7.0; +http://ahrefs.com/robot/)', 'neither', 'seo: AhrefsBot'],
  ['curl/8.5.0', 'neither', 'http-library: curl'],
  ['SomethingBot/1.0', 'neither', 'isbot: bots'],
  ['Gradle/8.1 (Linux;6.8;amd64)', 'neither', 'no browser'],
  ['Mozilla/5.0 (Macintosh; Intel Mac OS X) Word/16.1', 'neither', 'no browser'],
  ['Mozilla/4.0 (compatible; Tool)', 'neither', 'no browser'],
  ['Mozilla/9.9 (Windows NT 10.0; Win64; x64) Gecko/20100101 Firefox/99.9', 'neither', 'no browser'],
  [
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/538.1 (KHTML, like Gecko) wkhtmltopdf Safari/538.1',
    'neither',
    'converter: wkhtmltopdf',
  ],
  // Names of devices and browsers that contain a word of programs.
  [android('CPH2557 Build/AP3A.240617.008; wv'), 'human', 'browser'],
  [android('ViewSonic-V350 Build/FRG83G'), 'human', 'browser'],
  [android('Discovery Build/TP1A.220624.014'), 'human', 'browser'],
  [android('HTC Butterfly (2012) Build/JRO03C'), 'human', 'browser'],
  [`${android('SM-A5000 Build/KTU84P')} SogouMSE,SogouMobileBrowser/4.1.0`, 'human', 'browser'],
  ['Sogou web spider/4.0(+http://www.sogou.com/docs/help/webmasters.htm#07)', 'neither', 'search-engine: Sogou'],
  [android('Pixel 2 Build/OPD3.170816.012; DuplexWeb-Google/1.0'), 'neither', 'preview: DuplexWeb-Google'],
  [android('Nexus 5X Build/MMB29P').concat(' (compatible; SomeBot/2.1)'), 'neither', 'isbot: bots'],
  [android('compatible; SomeSpider; +http://some.example/'), 'neither', 'isbot: spider'],
  ['Cursor/1.0', 'ai', 'ai: Cursor'],
  ['codex_exec/0.46.0', 'ai', 'ai: Codex'],
  ['GitHubCopilotChat/0.35.0', 'ai', 'ai: GitHub Copilot Chat'],
  ['SAMSUNG-SGH-E690', 'human', 'browser'],
  [
    'LG-C299/V100 Obigo/Q05A MMS/LG-MMS-V1.0/1.2 Java/ASVM/1.1 Profile/MIDP-2.1 Configuration/CLDC-1.1',
    'human',
    'browser',
  ],
])('%j is %s by the rule %j', (userAgent, kind, rule) => {
  expect(classify(userAgent)).toMatchObject({ kind, rule })
})

test.each([
  ['Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)', 'GPTBot', 'training'],
  ['Mozilla/5.0 (compatible; ChatGPT-User/1.0)', 'ChatGPT-User', 'assistant'],
  ['Mozilla/5.0 (compatible; OAI-SearchBot/1.0)', 'OAI-SearchBot', 'search'],
  ['claude-code/2.0.14', 'claude-code', 'coding'],
  ['Google', 'Gemini', 'assistant'],
  ['Mozilla/5.0 (compatible; ZanistaBot/1.0)', 'ZanistaBot', 'search'],
  ['AISearchBot (Email: aisearchbot@gmail.com)', 'AISearchBot', 'unknown'],
  [`${chrome} Safari/537.36`, undefined, undefined],
  ['curl/8.5.0', undefined, undefined],
])('the agent of %j is %j, and its use %j', (userAgent, agent, use) => {
  expect(classify(userAgent).agent).toBe(agent)
  expect(classify(userAgent).use).toBe(use)
})

test('the demo agents are classified as in their table', () => {
  expect(demoAgents.map(({ userAgent }) => ({ kind: classify(userAgent).kind, userAgent }))).toEqual(demoAgents)
})

/** The build of an Android phone, and the browsers in Meta’s apps and in VS Code, are in the crawler list, but people use them. */
const usedByPeople = ['AP3A\\.240617\\.008', 'MetaIAB Facebook', 'Code\\/1\\.']

test('every example in the crawler list is AI if tagged so, and never human', () => {
  const all: readonly { pattern: string; instances: string[]; tags?: string[] }[] = crawlers
  const tagged = all.filter(({ pattern }) => !usedByPeople.includes(pattern))
  expect(tagged.length).toBe(all.length - usedByPeople.length)
  const wrong = tagged.flatMap(({ instances, tags }) =>
    instances.filter(userAgent => {
      const { kind } = classify(userAgent)
      return tags?.includes('ai-crawler') ? kind !== 'ai' : kind === 'human'
    }),
  )
  expect(wrong).toEqual([])
  expect(tagged.filter(({ tags }) => tags?.includes('ai-crawler')).length).toBeGreaterThan(50)
})

const words = (aiAgents.agents as { token: string; exact?: boolean; first?: boolean; name?: string }[]).filter(
  ({ exact, first }) => !exact && !first,
)
test.each(words)('our list classifies $token as AI, as a whole word only', ({ token, name = token }) => {
  expect(classify(`Mozilla/5.0 (compatible; ${token}/1.0)`)).toMatchObject({
    kind: 'ai',
    rule: expect.stringMatching(new RegExp(`^ai: ${name}$`, 'i')),
  })
  expect(classify(`${chrome} Safari/537.36 X${token}x/1.0`).rule.toLowerCase()).not.toBe(`ai: ${token.toLowerCase()}`)
})

test('a plain word is an agent only as the first word', () => {
  expect(classify('windsurf/1.2').rule).toBe('ai: Windsurf')
  expect(classify(`${chrome} Windsurf/1.2 Safari/537.36`).kind).not.toBe('ai')
  expect(classify('Clinesoft/1.2').kind).not.toBe('ai')
})

test('Google alone is Gemini, but not within another user agent', () => {
  expect(classify('Google')).toMatchObject({ kind: 'ai', rule: 'ai: Gemini' })
  expect(classify('Google Favicon').kind).toBe('neither')
  expect(classify(`${chrome} Safari/537.36 Google`).kind).not.toBe('ai')
})

test.each(aiAgents.notAi)('$token is not AI: $reason', ({ token }) => {
  expect(classify(`Mozilla/5.0 (compatible; ${token}/1.0)`).kind).not.toBe('ai')
})

test('only the first 1,024 characters are checked, so that no expression runs long', () => {
  const filler = 'Spider'.repeat(200)
  expect(classify(`${filler.slice(0, 1000)} GPTBot/1.2`).rule).toBe('ai: GPTBot')
  expect(classify(`${filler.slice(0, 1024)} GPTBot/1.2`).rule).not.toBe('ai: GPTBot')
})
