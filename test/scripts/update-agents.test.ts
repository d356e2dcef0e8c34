import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { extract, type Upstream } from '../../scripts/agents/extract.ts'
import { fetchSnapshot, readSnapshot } from '../../scripts/agents/upstream.ts'
import { runProgram } from '../support/program.ts'

const script = join(import.meta.dirname, '../../scripts/update-agents.ts')
const commit = '0123456789abcdef0123456789abcdef01234567'
const many = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`Some${index}Bot`, {}]))
const decided = new Map([
  ['acmeother', 'research of any product'],
  ['pencil', 'an editor'],
])

const extracted = (upstream: Upstream) => {
  const { agents, leftOut } = extract({ ...upstream, ...many }, decided)
  return {
    agents: agents.filter(({ token }) => !(token in many)).map(({ token }) => token),
    leftOut: leftOut.map(({ token, reason }) => `${token}: ${reason}`),
  }
}

test.each([
  { about: 'a name of two parts', name: 'Acme-User', agent: 'Acme-User' },
  { about: 'a name that says what it is', name: 'acmebot', agent: 'acmebot' },
  { about: 'a name of two words', name: 'Acme Bot', agent: 'Acme Bot' },
  { about: 'a name with its version', name: 'Acme-User/1.0', agent: 'Acme-User' },
  { about: 'a name with its version after a space', name: 'AcmeBot 2.1', agent: 'AcmeBot' },
  { about: 'a plain word', name: 'Operator', left: 'Operator: a single word, which is ambiguous' },
  { about: 'what every bot is', name: 'Spider', left: 'Spider: a single word, which is ambiguous' },
  { about: 'letters', name: 'LCC', left: 'LCC: too short to be unambiguous' },
  { about: 'what no user agent carries', name: 'a\nb', left: 'a\nb: not a valid name in a user agent' },
  { about: 'an expression', name: '(a+)+', left: '(a+)+: not a valid name in a user agent' },
  { about: 'what was decided', name: 'AcmeOther', left: 'AcmeOther: research of any product' },
  { about: 'a kin of what was decided', name: 'AcmeOther-Image', left: 'AcmeOther-Image: research of any product' },
  { about: 'an agent beside a plain word', name: 'Pencil-Agent', agent: 'Pencil-Agent' },
])('$about', ({ name, agent, left }) => {
  expect(extracted({ [name]: {} })).toEqual({ agents: agent ? [agent] : [], leftOut: left ? [left] : [] })
})

test('a name in two spellings is listed once', () => {
  expect(extracted({ 'acme-agent': {}, 'Acme-Agent': {}, 'Acme-Agent/1.0': {} }).agents).toEqual(['acme-agent'])
})

test.each([
  ['[Acme](https://acme.example)', 'Acme'],
  ['Acme, a company of roads', 'Acme'],
  ['Acme that paints tunnels', 'Acme'],
  ['Unclear at this time.', null],
  ['https://acme.example/bot', null],
  [undefined, null],
])('the operator of %j is %j', (operator, expected) => {
  const { agents } = extract({ AAcmeBot: { operator }, ...many }, decided)
  expect(agents[0]).toEqual({ token: 'AAcmeBot', operator: expected, use: 'unknown' })
})

test.each([
  ['AI Assistants', 'assistant'],
  ['Retrieves pages after a prompt.', 'assistant'],
  ['AI Search Crawlers', 'search'],
  ['Scrapes text to train models.', 'training'],
  ['AI Coding Agents', 'coding'],
  ['AI Data Providers', 'unknown'],
  [undefined, 'unknown'],
])('the use of an agent for %j is %s', (purpose, use) => {
  expect(extract({ AAcmeBot: { function: purpose }, ...many }, decided).agents[0]?.use).toBe(use)
})

test('a list with very few agents is refused', () => {
  expect(() => extract({ 'Acme-User': {} }, decided)).toThrow('The list has 1 agents')
})

test('the newest version is fetched from its commit', async () => {
  const asked: string[] = []
  const answers = [[{ sha: commit, commit: { committer: { date: '2026-08-22T09:33:25Z' } } }], many]
  const snapshot = await fetchSnapshot(async url => {
    asked.push(new URL(url).pathname)
    return Response.json(answers.shift())
  })
  expect(snapshot).toEqual({ robots: many, release: commit, day: '2026-08-22' })
  expect(asked[1]).toBe(`/ai-robots-txt/ai.robots.txt/${commit}/robots.json`)
})

test('a failed fetch is reported with its address', async () => {
  const answer = () => Promise.resolve(new Response('', { status: 403 }))
  await expect(fetchSnapshot(answer)).rejects.toThrow(/^https:.* answered 403/)
})

test('robots.txt is accepted too', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'quire-agents-'))
  try {
    const file = join(folder, 'robots.txt')
    await writeFile(file, 'User-agent: Acme-User\r\nuser-agent:  Acme Search Bot \nDisallow: /\n')
    const { robots, release } = await readSnapshot(file, 'some-package 1.2.3', '2026-07-30')
    expect(robots).toEqual({ 'Acme-User': {}, 'Acme Search Bot': {} })
    expect(release).toBe('some-package 1.2.3')
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})

test('the command writes the list from a file, and names missing flags', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'quire-agents-'))
  try {
    const file = join(folder, 'robots.json')
    const to = join(folder, 'out.json')
    await writeFile(file, JSON.stringify({ Operator: {}, ...many }))
    const flags = ['--file', file, '--to', to]
    expect(await run(flags)).toEqual({ code: 2, output: expect.stringContaining('--release RELEASE and --date DATE') })
    const done = await run([...flags, '--release', commit, '--date', '2026-08-22'])
    expect(done).toEqual({ code: 0, output: expect.stringContaining('Operator: ') })
    expect(JSON.parse(await readFile(to, 'utf8'))).toMatchObject({
      asOf: '2026-08-22',
      release: commit,
      agents: { length: 60 },
    })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})

async function run(args: readonly string[]): Promise<{ code: number | null; output: string }> {
  const { code, stdout, stderr } = await runProgram([script, ...args])
  return { code, output: stdout + stderr }
}
