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
    { line: 2, open: '/login' },
    { line: 4, fill: '#user', value: { text: 'ann' } },
    { line: 5, fill: '#password', value: { variable: 'DOCS_PASSWORD' } },
    { line: 6, fill: '#code', value: { stdin: true } },
    { line: 7, click: 'text=Sign in' },
    { line: 8, press: 'Enter' },
    { line: 9, wait: '#content' },
  ])
})

test.each([
  ['open /login', 'it must be one of'],
  ['["open"]', 'it must be one of'],
  ['{"go": "/login"}', 'it must be one of'],
  ['{"open": 1}', 'it must be one of'],
  ['{"open": "/login", "click": "#a"}', 'it must be one of'],
  ['{"fill": "#user"}', 'fill needs value-env with the name of a variable'],
  ['{"fill": "#user", "value": "s3cret-text", "value-env": "A"}', 'fill takes one of'],
  ['{"click": "#user", "value": "s3cret-text"}', 'only fill takes value'],
])('the line %s is refused without its values', (row, why) => {
  const refused = () => parseLoginSteps(`\n${row}`, 'steps.jsonl')
  expect(refused).toThrow(`--steps steps.jsonl, line 2: ${why}`)
  expect(refused).not.toThrow('s3cret-text')
})

test('a file without steps is refused', () => {
  expect(() => parseLoginSteps('# nothing\n', 'steps.jsonl')).toThrow('--steps steps.jsonl has no steps')
})
