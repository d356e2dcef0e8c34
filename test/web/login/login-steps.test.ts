import { expect, test } from 'vitest'
import { parseLoginSteps } from '../../../server/web/login/login-steps.ts'

test('steps are JSON, one a line, with comments and empty lines', () => {
  const text = [
    '# sign in',
    '{"open": "/login"}',
    '',
    '{"fill": "#user", "value": "ann"}',
    '{"fill": "#password", "value-env": "DOCS_PASSWORD"}',
    '{"fill": "#code", "value-stdin": true}',
    '{"click": "text=Sign in"}',
    '{"press": "Enter"}',
    '{"wait": "#content"}',
  ].join('\n')
  expect(parseLoginSteps(text, 'x')).toEqual([
    { line: 2, action: 'open', target: '/login' },
    { line: 4, action: 'fill', target: '#user', value: { source: 'value', text: 'ann' } },
    { line: 5, action: 'fill', target: '#password', value: { source: 'value-env', text: 'DOCS_PASSWORD' } },
    { line: 6, action: 'fill', target: '#code', value: { source: 'value-stdin', text: 'true' } },
    { line: 7, action: 'click', target: 'text=Sign in' },
    { line: 8, action: 'press', target: 'Enter' },
    { line: 9, action: 'wait', target: '#content' },
  ])
})

test.each([
  ['open /login', 'write one of'],
  ['["open"]', 'write one of'],
  ['{"go": "/login"}', 'write one of'],
  ['{"open": 1}', 'write one of'],
  ['{"open": "/login", "click": "#a"}', 'write one of'],
  ['{"open": "/login", "then": "x"}', 'only fill takes a value, and nothing else'],
  ['{"fill": "#user"}', 'fill needs value-env with the name of a variable'],
  ['{"fill": "#user", "value": "s3cret-text", "value-env": "A"}', 'fill needs value-env'],
  ['{"click": "#user", "value": "s3cret-text"}', 'only fill takes a value'],
])('the line %s is refused without its values', (row, why) => {
  const refused = () => parseLoginSteps(`\n${row}`, 'steps.jsonl')
  expect(refused).toThrow(`--steps steps.jsonl, line 2: ${why}`)
  expect(refused).not.toThrow('s3cret-text')
})

test('a file without steps is refused', () => {
  expect(() => parseLoginSteps('# nothing\n', 'steps.jsonl')).toThrow('--steps steps.jsonl has no steps')
})
