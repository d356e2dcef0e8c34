import { expect, test } from 'vitest'
import { createMock } from '../../spec/package/mock/index.ts'
import { createHandlers } from '../../spec/package/mock/msw.ts'

const whole = 'must be a whole number of milliseconds from 0 to 60000.'
const above = 'must be a number above 0 and up to 1000000.'

test.each<[given: unknown, sentence: string]>([
  [{ scenario: 'none' }, 'There is no scenario none. Choose one of: usual, '],
  [{ scenario: 'toString' }, 'There is no scenario toString. Choose one of: usual, '],
  [{ scenario: null }, 'There is no scenario null. Choose one of: usual, '],
  [{ error: 'none' }, 'The API has no error none. Choose a status ('],
  [{ error: null }, 'error must be a text. Leave it out if it is not needed.'],
  [{ delayMs: -1 }, `delayMs ${whole}`],
  [{ delayMs: 1.5 }, `delayMs ${whole}`],
  [{ delayMs: Number.NaN }, `delayMs ${whole}`],
  [{ delayMs: '500' }, `delayMs ${whole}`],
  [{ delayMs: 60_001 }, `delayMs ${whole}`],
  [{ stepSeconds: 0 }, `stepSeconds ${above}`],
  [{ stepSeconds: -1 }, `stepSeconds ${above}`],
  [{ stepSeconds: Number.NaN }, `stepSeconds ${above}`],
  [{ stepSeconds: Number.POSITIVE_INFINITY }, `stepSeconds ${above}`],
  [{ stepSeconds: '1' }, `stepSeconds ${above}`],
  [{ speed: 0 }, `speed ${above}`],
  [{ speed: -10 }, `speed ${above}`],
  [{ speed: Number.NaN }, `speed ${above}`],
  [{ speed: 10, stepSeconds: 1 }, 'stepSeconds and speed exclude each other. Leave one of them out.'],
  [{ seed: 7 }, 'seed must be a text.'],
  [{ key: '' }, 'key must be a text of ASCII characters without spaces.'],
  [{ key: 'a b' }, 'key must be a text of ASCII characters without spaces.'],
  [{ wait: 5 }, 'wait must be a function'],
  [{ delay: 500 }, 'createMock has no option delay. Choose one of: scenario, key, seed, stepSeconds, speed, delayMs, '],
  ['usual', 'createMock takes its options in an object.'],
  [null, 'createMock takes its options in an object.'],
])('createMock(%j) is refused with one sentence and its remedy', (given, sentence) => {
  expect(() => createMock(given as object)).toThrow(sentence)
  expect(() => createMock(given as object)).toThrow(TypeError)
})

test('options that are undefined have their defaults, and error is a setting from the beginning', () => {
  expect(createMock({ scenario: undefined, delayMs: undefined } as object).settings()).toEqual({
    scenario: 'usual',
    delayMs: 0,
    error: null,
  })
  const mock = createMock({ error: 'plan', delayMs: 60_000, speed: 0.5 })
  mock.use({ error: '' })
  mock.reset()
  expect(mock.settings()).toEqual({ scenario: 'usual', delayMs: 60_000, error: 'plan' })
})

test.each<[given: unknown, sentence: string]>([
  [{ stepSeconds: 1 }, 'There is no setting stepSeconds. Choose one of: scenario, delay, error.'],
  [{ error: null }, 'error must be a text.'],
  [{ delay: -1 }, 'The delay must be a whole number of milliseconds'],
  [undefined, 'Settings are an object.'],
])('use(%j) is refused, and nothing changes', (given, sentence) => {
  const mock = createMock()
  expect(() => mock.use(given as object)).toThrow(sentence)
  expect(mock.settings()).toEqual({ scenario: 'usual', delayMs: 0, error: null })
})

test('use takes numbers, too', () => {
  const mock = createMock()
  mock.use({ delay: 500, error: 503 } as object)
  expect(mock.settings()).toEqual({ scenario: 'usual', delayMs: 500, error: '503' })
})

test.each<[given: unknown, sentence: string]>([
  [{ stepSecond: 1 }, 'createHandlers has no option stepSecond. Choose one of: '],
  [{ speed: -1 }, `speed ${above}`],
  [{ mock: createMock(), scenario: 'slow' }, 'createHandlers has the option mock, so scenario has no effect.'],
  [{ baseUrl: 'api.example.com' }, 'baseUrl must be an http or https URL, or a path that begins with a slash.'],
  [{ baseUrl: 'http://' }, 'baseUrl must be an http or https URL, or a path that begins with a slash.'],
  [{ baseUrl: '//api' }, 'baseUrl must be an http or https URL, or a path that begins with a slash.'],
])('createHandlers(http, %j) is refused', (given, sentence) => {
  expect(() => createHandlers({ all: path => path }, given as object)).toThrow(sentence)
})

test('handlers are for one base URL, for a path, or for every origin', () => {
  const first = (baseUrl: string) => createHandlers({ all: path => path }, { baseUrl })[0]
  expect(['https://api.example.com/quire/', '/api', '*'].map(first)).toEqual([
    'https://api.example.com/quire/v2/agent/:projectId/job/:id',
    '/api/v2/agent/:projectId/job/:id',
    '*/v2/agent/:projectId/job/:id',
  ])
})
