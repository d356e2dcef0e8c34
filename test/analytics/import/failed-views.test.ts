import { expect, test } from 'vitest'
import { readLog } from './read-log.ts'

const browser = 'Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0'

function line({ path = '/guide', userAgent = browser, referrer = '-', status = 200 } = {}): string {
  return `10.0.0.1 - - [20/Nov/2026:10:11:12 +0000] "GET ${path} HTTP/1.1" ${status} 12 "${referrer}" "${userAgent}"`
}

test.each([
  [
    'a person on a page that does not exist',
    line({ status: 404, referrer: 'https://www.example.com/?q=secret' }),
    ['failed:human:missing/guide example.com'],
  ],
  [
    'a person whom an assistant sent to a page that does not exist',
    line({ status: 410, path: '/old/?utm_source=chatgpt.com' }),
    ['failed:human:missing/old chatgpt.com'],
  ],
  ['a person with an odd referrer', line({ status: 404, referrer: 'https://a b/' }), ['failed:human:missing/guide']],
  [
    'an AI agent on a page that the server cannot send',
    line({ status: 503, path: '/guide.md', userAgent: 'GPTBot/1.3', referrer: 'https://a.example/' }),
    ['failed:ai:broken/guide GPTBot'],
  ],
  ['a program on a page that does not exist', line({ status: 404, userAgent: 'curl/8.5.0' }), []],
  ['a person who is refused', line({ status: 403 }), []],
  ['a scanner', line({ status: 404, path: '/.env' }), []],
  ['a picture that does not exist', line({ status: 404, path: '/a.png' }), []],
  ['the data of a router that does not exist', line({ status: 404, path: '/guide?_rsc=1' }), []],
  ['llms.txt that does not exist', line({ status: 404, path: '/llms.txt' }), []],
])('%s has its labels once, and no page view', (_, text, want) => {
  const { entries, views, tally } = readLog(`${text}\n${text}\n`)
  expect(entries.map(({ path }) => path)).toEqual(want)
  expect(views).toEqual([])
  expect(tally.verifiedViews).toBe(0)
})
