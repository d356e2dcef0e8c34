import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readLog } from '../import/read-log.ts'

/**
 * The logs are of production builds that a person visited in Chromium, with the script that counts in the browser, see capture.ts.
 * Astro and Starlight prefetch whole pages, which browsers tell by a header: such requests are not in their logs, see the docs.
 */
const sites = readdirSync(import.meta.dirname)
  .filter(file => file.endsWith('.json'))
  .map(file => {
    const { framework, opened } = JSON.parse(readFileSync(join(import.meta.dirname, file), 'utf8'))
    const log = readFileSync(join(import.meta.dirname, file.replace('.json', '.log')), 'utf8')
    return { framework: framework as string, opened: opened as string[], log }
  })

function count(log: string): string[] {
  const { views, tally } = readLog(log)
  expect(tally.malformed).toEqual({ 'wrong-format': 0, 'bad-address': 0, 'bad-date': 0, 'bad-path': 0, 'too-long': 0 })
  return [...new Set(views.map(({ path }) => path))].sort()
}

test.each(sites)('$framework: no page counts that was not opened', ({ opened, log }) => {
  const withoutScript = log.replaceAll(/^.*"GET \/_quire\/.*\n/gm, '')
  expect(withoutScript.length).toBeLessThan(log.length)
  const counted = count(withoutScript)
  expect(counted.filter(path => !opened.includes(path))).toEqual([])
  // The page that was loaded counts. A log does not show the others, if the router only fetched data for them.
  expect(counted.length).toBeGreaterThan(0)
})

test.each(sites)('$framework: with the script, exactly the 12 opened pages count', ({ opened, log }) => {
  expect(opened).toHaveLength(12)
  expect(count(log)).toEqual(opened)
})
