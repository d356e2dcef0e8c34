import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import { exportFakeSite, page } from '../fake-site.ts'
import { type RunningServer, startServer } from '../static-server.ts'

let site: RunningServer | undefined

afterEach(() => site?.close())

type Answers = Record<string, string | { to: string }>

/** Exports a site several times. Its answers arrive in a different order each time; unknown paths are a 404. */
async function exportOften(answers: Answers, times: number, robots = '') {
  const delays = new Map<string, number>()
  const { origin } = await startServer(async (request, response) => {
    const path = request.url ?? ''
    const answer = path === '/robots.txt' && robots ? robots : answers[path]
    await sleep(delays.get(path) ?? 0)
    if (typeof answer === 'object') return response.writeHead(302, { location: answer.to }).end()
    const type = path === '/robots.txt' ? 'text/plain' : 'text/html'
    response.writeHead(answer === undefined ? 404 : 200, { 'content-type': type }).end(answer ?? '<h1>No</h1>')
  }).then(started => {
    site = started
    return started
  })
  const found: { sha256: string; pages: number; left: number }[] = []
  for (let run = 0; run < times; run += 1) {
    // The fast answers of this run are slow in the next.
    for (const [at, path] of Object.keys(answers).entries()) delays.set(path, (at + run) % 2 === 0 ? 0 : 25)
    const { sha256, report } = await exportFakeSite(origin, { verify: 'static', obeyRobots: robots !== '' })
    found.push({ sha256, pages: report.pages, left: report.skipped.length })
  }
  return found
}

const numbers = [1, 2, 3, 4, 5, 6]

/** Pages with two addresses. A relative link leads to a different page from each address. */
function twins(): Answers {
  const answers: Answers = { '/t/next': page('beside') }
  for (const n of numbers) {
    answers[`/t/${n}`] = page(`t${n}`, '<a href="next">next</a>')
    answers[`/t/${n}/`] = answers[`/t/${n}`] ?? ''
    answers[`/t/${n}/next`] = page(`below ${n}`)
  }
  return answers
}

const linkAll = (toName: (n: number) => string) => numbers.map(n => `<a href="${toName(n)}">${n}</a>`).join('')

test('the requested spelling of a page does not depend on the order of answers', async () => {
  const found = await exportOften(
    {
      '/': page('home', '<a href="/a">a</a><a href="/b">b</a>'),
      '/a': page(
        'a',
        linkAll(n => `/t/${n}`),
      ),
      '/b': page(
        'b',
        linkAll(n => `/t/${n}/`),
      ),
      ...twins(),
    },
    4,
  )
  expect(new Set(found.map(({ sha256 }) => sha256)).size).toBe(1)
})

test('the spelling of a page that several redirects lead to does not depend on the order of answers', async () => {
  const redirects = Object.fromEntries(
    numbers.flatMap(n => [
      [`/o/${n}-1`, { to: `/t/${n}` }],
      [`/o/${n}-2`, { to: `/t/${n}/` }],
    ]),
  )
  const home = page('home', linkAll(n => `/o/${n}-1`) + linkAll(n => `/o/${n}-2`))
  const found = await exportOften({ '/': home, ...redirects, ...twins() }, 4)
  expect(new Set(found.map(({ sha256 }) => sha256)).size).toBe(1)
})

test('the spelling that robots.txt allows is requested, and forbidden pages are left out, even behind a redirect', async () => {
  const answers: Answers = {
    '/': page('home', '<a href="/a">a</a><a href="/b">b</a><a href="/go">go</a>'),
    '/a': page('a', '<a href="/t/1">1</a>'),
    '/b': page('b', '<a href="/t/1/">1</a><a href="/t/1/?x">1</a>'),
    '/t/1': page('t'),
    '/t/1/': page('t'),
    '/go': { to: '/private/x' },
    '/private/x': page('x'),
  }
  const found = await exportOften(answers, 3, 'User-agent: *\nDisallow: /t/*/$\nDisallow: /private/')
  expect(found.map(({ pages, left }) => [pages, left])).toEqual([
    [4, 1],
    [4, 1],
    [4, 1],
  ])
})
