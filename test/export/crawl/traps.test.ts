import { expect, test } from 'vitest'
import { setUpBrowserlessExports } from '../browserless-exports.ts'
import { type FakeSite, page } from '../fake-site.ts'

const { run } = setUpBrowserlessExports()

const names = ['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October']
const monthName = (at: number) => names[((at % 10) + 10) % 10] ?? ''

/** A calendar without end. Each month links the months beside it, and its days. */
function calendar(path: string): string | undefined {
  const [, month, day] = /^\/calendar\/(-?\d+)(?:\/day\/(\d+))?$/.exec(path) ?? []
  if (month === undefined) return undefined
  const at = Number(month)
  const days = Array.from({ length: 5 }, (_, index) => `<a href="/calendar/${at}/day/${index}">${index}</a>`)
  const links = `<a href="/calendar/${at - 1}">back</a><a href="/calendar/${at + 1}">on</a>${day ? '' : days.join('')}`
  return `<!doctype html><title>Calendar</title><h1>${monthName(at)} ${at}, ${day}</h1><p>No events are planned.</p>${links}`
}

const guides = Array.from({ length: 12 }, (_, index) => `/z-guide-${String.fromCharCode(97 + index)}`)
const guide = (path: string) => {
  const next = guides[guides.indexOf(path) + 1]
  return page(path, next ? `<a href="${next}">next</a>` : '')
}

test('a calendar without end is left and reported, and does not use up the limit of pages', async () => {
  const site: FakeSite = path =>
    path === '/'
      ? page('home', `<a href="/calendar/500">calendar</a><a href="${guides[0]}">guide</a>`)
      : guides.includes(path)
        ? guide(path)
        : calendar(path)
  const { report, names: files } = await run(site, { verify: 'static', limits: { pages: 1000 } })
  expect(report.pages).toBeLessThan(800)
  expect(guides.filter(path => !files.includes(`${path.slice(1)}.html`))).toEqual([])
  expect(report.notes.filter(note => /no end/.test(note))).toEqual([
    expect.stringMatching(/^Pages such as \/calendar\/\d+.* seem to have no end: /),
  ])
  expect(report.skipped.filter(({ reason }) => reason !== 'one of endless pages without new text')).toEqual([])
  const { report: again } = await run(site, { verify: 'static', limits: { pages: 1000 } })
  expect(again).toEqual(report)
})

test('pages of a long series with new text, and numbered pages that one page lists, are no trap', async () => {
  const word = (at: number) => [...String(at)].map(digit => 'zyxwvutsrq'[Number(digit)]).join('')
  const listed = Array.from({ length: 90 }, (_, index) => `<a href="/table/${index}">${index}</a>`)
  const { report } = await run(
    path => {
      const at = Number(/^\/(?:step|table)\/(\d+)$/.exec(path)?.[1])
      if (path === '/') return page('home', `<a href="/step/0">start</a>${listed.join('')}`)
      if (path.startsWith('/table/')) return page('table', `<td>${at}</td><td>${at * 7}</td>`)
      const text = `<p>one${word(at)} two${word(at)} three${word(at)}</p>`
      return at < 80 ? page('step', `${text}<a href="/step/${at + 1}">next</a>`) : undefined
    },
    { verify: 'static' },
  )
  expect([report.pages, report.notes.filter(note => /no end/.test(note))]).toEqual([171, []])
})
