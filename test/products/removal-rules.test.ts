import { describe, expect, test } from 'vitest'
import { OperatorError } from '../../server/base/operator-error.ts'
import { checkRemovalRules, noRemovalRules, parseRemovalRules } from '../../server/products/removal-rules.ts'
import { parseAddressPattern } from '../../server/web/address-pattern.ts'
import { type ElementView, matchesSelector, parseSelector } from '../../server/web/html/selector.ts'

const element = (name: string, attributes: Record<string, string> = {}): ElementView => ({
  name,
  attribute: key => attributes[key],
})

describe('selectors', () => {
  const button = element('button', { id: 'ask', class: 'big  ask-us', type: 'button', 'data-x': 'a b' })
  test.each([
    ['button', true],
    ['BUTTON', true],
    ['#ask', true],
    ['.ask-us', true],
    ['[data-x]', true],
    ['[type=button]', true],
    ['[data-x="a b"]', true],
    ["button#ask.big.ask-us[type='button']", true],
    ['a', false],
    ['.ask', false],
    ['[type=submit]', false],
    ['ask-widget', false],
    ['.big.small', false],
  ])('%s: %s', (text, want) => {
    expect(matchesSelector(parseSelector(text), button)).toBe(want)
  })

  test.each([
    '',
    ' ',
    'a b',
    'a > b',
    'a, b',
    'a:hover',
    'a::before',
    '*',
    '[a^=b]',
    '[a~="b"]',
    '#a#b',
    '.',
    '#',
    '[',
    '[a',
    '[]',
    'a{}',
    '</style>',
    'html',
    'body',
    'head.x',
    'é',
    'a'.repeat(201),
  ])('refuses %j', text => {
    expect(() => parseSelector(text)).toThrow(OperatorError)
  })

  test('never match the body element', () => {
    expect(matchesSelector(parseSelector('.x'), element('body', { class: 'x' }))).toBe(false)
  })
})

describe('address patterns', () => {
  test.each([
    ['cdn.example.com/*', 'https://cdn.example.com/a/b.js?x', true],
    ['cdn.example.com/*', 'https://www.cdn.example.com/a', false],
    ['*.example.com/*', 'https://a.b.example.com/', true],
    ['*.example.com/*', 'https://example.com/', false],
    ['*.example.com/*', 'https://badexample.com/', false],
    ['*/widget.js', 'https://any.example/deep/widget.js?v=1', true],
    ['*/widget.js', 'https://any.example/my-widget.js', false],
    ['/js/widget.js', 'https://any.example/js/widget.js', true],
    ['/js/widget.js', 'https://any.example/x/js/widget.js', false],
    ['example.com/a?id=1', 'https://example.com/a?id=1', true],
    ['example.com/a?id=1', 'https://example.com/a', false],
    ['example.com/a.js', 'https://example.com/aXjs', false],
  ])('%s and %s: %s', (pattern, address, want) => {
    expect(parseAddressPattern(pattern).matches(new URL(address))).toBe(want)
  })

  test.each([
    '',
    'example.com',
    'https://example.com/a',
    '//example.com/a',
    '*/*',
    '/',
    '*/',
    '/*',
    'a b/c',
    'exa_mple/x',
  ])('refuses %j', text => {
    expect(() => parseAddressPattern(text)).toThrow(OperatorError)
  })
})

describe('rules', () => {
  test('are read from JSON', () => {
    const product = { name: 'Ask', feature: 'assistant', selectors: ['#ask'], scripts: ['*/ask.js'] }
    expect(parseRemovalRules(JSON.stringify({ keep: ['Matomo'], products: [product] }))).toEqual({
      removeSelectors: [],
      removeScripts: [],
      keep: ['Matomo'],
      products: [product],
      excludePages: [],
    })
  })

  test.each([
    ['{', 'not valid JSON'],
    ['[]', 'must be a JSON object'],
    ['{"remove": []}', 'unknown field "remove"'],
    ['{"keep": "x"}', 'keep must be a list of strings'],
    ['{"removeSelectors": ["a b"]}', 'removeSelectors: "a b" cannot be read at " b"'],
    ['{"removeScripts": ["inline:x"]}', 'at least 4 characters'],
    ['{"removeScripts": ["example.com"]}', 'has no path'],
    ['{"excludePages": ["internal"]}', 'excludePages: "internal" has no path'],
    ['{"keep": ["Algoliaa"]}', 'is not a known product'],
    ['{"products": {}}', 'products must be a list'],
    ['{"products": [{"name": "x", "feature": "chat", "selectors": ["#x"]}]}', 'products[0].feature must be one of'],
    ['{"products": [{"name": "x", "feature": "search"}]}', 'needs selectors or scripts'],
    ['{"products": [{"name": "", "feature": "search", "selectors": ["#x"]}]}', 'products[0].name'],
  ])('%s is refused: %s', (text, why) => {
    expect(() => parseRemovalRules(text)).toThrow(OperatorError)
    expect(() => parseRemovalRules(text)).toThrow(why)
  })

  test('keep accepts names of products in any case, selectors and patterns', () => {
    const rules = { ...noRemovalRules, keep: ['algolia docsearch', '#q', '/s.js'], excludePages: ['/internal/*'] }
    expect(checkRemovalRules(rules)).toBe(rules)
  })
})
