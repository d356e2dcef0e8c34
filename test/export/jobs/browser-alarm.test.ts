import { expect, test } from 'vitest'
import { createBrowserAlarm } from '../../../server/export/jobs/browser-alarm.ts'

test('logs the problem of the browser as an error, at most once a minute', () => {
  const logged: object[] = []
  let now = 0
  const alarm = createBrowserAlarm({ error: details => void logged.push(details) }, () => now)
  alarm('first')
  now = 59_999
  alarm('second')
  now = 60_000
  alarm('third')
  expect(logged).toEqual([{ problem: 'first' }, { problem: 'third' }])
})
