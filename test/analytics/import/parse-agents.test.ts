import { expect, test } from 'vitest'
import { formatAgents, parseAgents } from '../../../server/analytics/import/parse-agents.ts'

const bot = { name: 'OurBot', class: 'assistant', contains: ['OurBot/'] }
const file = (...agents: unknown[]) => JSON.stringify({ agents })

test('a file is read, with the fields that it leaves out', () => {
  const office = { name: 'Office', class: 'not-ai', ranges: ['192.0.2.0/24', '2001:db8::1'] }
  const agents = parseAgents(file(bot, { ...bot, ranges: ['192.0.2.7'], complete: true }, office))
  expect(agents).toEqual([
    { ...bot, ranges: [], complete: false },
    { ...bot, ranges: ['192.0.2.7'], complete: true },
    { ...office, contains: [], complete: false },
  ])
  expect(parseAgents(formatAgents(agents))).toEqual(agents)
  expect(parseAgents(file())).toEqual([])
})

test.each([
  ['{"password": "secret', 'It is not JSON such as {"agents"'],
  ['[]', 'It must be an object with the field agents'],
  ['{"agents": [], "other": 1}', 'It must be an object with the field agents'],
  [' '.repeat(65_537), 'It has more than 65536 characters.'],
  [file(...Array(101).fill(bot)), 'agents has 101 entries, and may have 100.'],
  [file(bot, 'OurBot'), 'agents, entry 2 must be an object with the fields name, class, contains, ranges, complete.'],
  [file(bot, { ...bot, pattern: '.*' }), 'agents, entry 2, pattern: There is no such field'],
  [file({ ...bot, name: 7 }), 'agents, entry 1, name: It must be a text.'],
  [file({ ...bot, name: 'a\nb' }), 'agents, entry 1, name: The name a\\nb has a control character.'],
  [file({ ...bot, name: 'OurBot@search' }), 'agents, entry 1, name: It may not contain @.'],
  [
    file({ ...bot, class: 'human' }),
    'entry 1, class: It must be one of assistant, search, training, coding, unknown, not-ai.',
  ],
  [file({ ...bot, contains: 'OurBot' }), 'entry 1, contains: It must be a list of texts.'],
  [file({ ...bot, contains: ['ab'] }), 'entry 1, contains: A text must have 3 to 100 characters: "ab".'],
  [file({ ...bot, contains: Array(21).fill('bot') }), 'entry 1, contains: It has 21 texts, and may have 20.'],
  [file({ ...bot, contains: [] }), 'entry 1, contains: Without ranges, it must have a text'],
  [file({ ...bot, ranges: ['192.0.2.0/33'] }), 'entry 1, ranges: "192.0.2.0/33" is neither an address nor a block'],
  [file({ ...bot, ranges: ['192.0.2.1'], complete: 'yes' }), 'entry 1, complete: It must be true or false.'],
  [file({ ...bot, complete: true }), 'entry 1, complete: It needs an AI agent with both contains and ranges.'],
  [
    file({ ...bot, class: 'not-ai', ranges: ['192.0.2.1'] }),
    'entry 1, ranges: An agent with the class not-ai may have contains or ranges',
  ],
])('%s is refused: %s', (text, problem) => {
  expect(() => parseAgents(text)).toThrow(problem)
})

test('an error never quotes a file that is not JSON', () => {
  expect(() => parseAgents('token=hunter2')).not.toThrow('hunter2')
})
