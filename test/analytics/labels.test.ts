import { expect, test } from 'vitest'
import { findAssistantSite, listAssistantHosts } from '../../server/analytics/assistant-sites.ts'
import {
  listCountedLabels,
  parseLabel,
  toFileLabel,
  toReferralLabel,
  toRuleLabel,
} from '../../server/analytics/labels.ts'

test.each([
  [toRuleLabel('ai', 'ai: GPTBot'), { type: 'agent', agent: 'GPTBot' }],
  [toRuleLabel('neither', 'seo: AhrefsBot'), { type: 'neither', rule: 'seo: AhrefsBot' }],
  [
    toRuleLabel('neither', 'search-engine: yandex.com/bots'),
    { type: 'neither', rule: 'search-engine: yandex.com/bots' },
  ],
  [toRuleLabel('neither', 'empty'), { type: 'neither', rule: 'empty' }],
  [toFileLabel('neither', 'llms.txt'), { type: 'file', kind: 'neither', file: 'llms.txt' }],
  ['from:', { type: 'referral' }],
  ['from:claude.ai', { type: 'referral', site: 'claude.ai' }],
  [toReferralLabel('claude.ai', '/'), { type: 'referral', site: 'claude.ai', path: '/' }],
  [toReferralLabel('claude.ai', '/a/b:c'), { type: 'referral', site: 'claude.ai', path: '/a/b:c' }],
])('%s means %j, and is no path', (label, want) => {
  expect(parseLabel(label ?? '')).toEqual(want)
  expect(label).not.toMatch(/^\//)
})

test.each([
  ['agent:GPTBot', ['agent:GPTBot', 'class:class of GPTBot']],
  ['neither:empty', ['neither:empty']],
  ['from:claude.ai/a/b', ['from:claude.ai/a/b', 'from:claude.ai', 'from:']],
])('the visitors of %s count for %j', (label, want) => {
  expect(listCountedLabels(label, agent => `class of ${agent}`)).toEqual(want)
})

test('people have no label of a rule', () => {
  expect(toRuleLabel('human', 'browser')).toBeUndefined()
})

test.each(['', 'later:x', 'file:later:x'])('a label %j of a later version is not known', label => {
  expect(parseLabel(label)).toBeUndefined()
})

test.each([
  ['chatgpt.com', 'chatgpt.com'],
  ['chat.openai.com', 'chatgpt.com'],
  ['www.perplexity.ai', 'perplexity.ai'],
  ['google.com', undefined],
  ['notchatgpt.com', undefined],
  ['chatgpt.com.example', undefined],
])('%s is the assistant site %s', (host, site) => {
  expect(findAssistantSite(host)?.site).toBe(site)
})

test('every host of an assistant is in lower case, without www and without a slash, and belongs to one assistant', () => {
  const hosts = listAssistantHosts()
  expect(hosts.length).toBeGreaterThan(15)
  for (const host of hosts) expect(host).toMatch(/^(?!www\.)[a-z0-9-]+(\.[a-z0-9-]+)+$/)
})
