import { afterEach, beforeEach, expect, test } from 'vitest'
import { sitePage } from '../../server/dashboard/pages/site.ts'
import { nextStart, parseRhythm, type ScheduleOutcome } from '../../server/tenancy/site-schedule.ts'
import { queuedJob } from '../support/export-job.ts'
import { addOrganization, findInjected, hostileTexts, openPageVisits, type PageVisits } from './page-visit.ts'

let pages: PageVisits
let organizationId: string
let domain: string
beforeEach(async () => {
  pages = await openPageVisits()
  ;({ organizationId, domain } = await addOrganization(pages.store))
})
afterEach(() => pages.dispose())

const open = (options: object = {}) => ({ organizationId, params: { domain }, ...options })
const save = (form: Record<string, string>) => open({ action: 'schedule', form })
const find = async () => pages.store.siteSchedules.find(domain)

test.each([
  [{ rhythm: 'hours', hours: '6' }, 'every 6h', false],
  [{ rhythm: 'daily', dailyTime: '23:59', onlyIfChanged: 'on' }, 'daily 23:59', true],
  [{ rhythm: 'weekly', weekday: 'sun', weeklyTime: '00:00' }, 'weekly sun@00:00', false],
])('%j is saved and audited, and the form shows it again', async (form, text, onlyIfChanged) => {
  const rhythm = parseRhythm(text)
  expect(await pages.visit(sitePage, save(form as never))).toEqual({
    leadTo: `/projects/sites/${domain}`,
    notice: 'schedule-set',
  })
  const found = await find()
  expect(found).toMatchObject({ rhythm, onlyIfChanged })
  expect(Math.abs((found?.nextAt ?? 0) - nextStart(rhythm, Date.now()))).toBeLessThan(60_000)
  expect(await pages.listAudited()).toEqual([`site.changed ${domain}`])

  const { text: page } = await pages.read(sitePage, open())
  expect(page).toContain(`value="${form.rhythm}" checked`)
  expect(page.includes('name="onlyIfChanged" checked')).toBe(onlyIfChanged)
  for (const [name, value] of Object.entries(form).filter(([key]) => /hours|Time/.test(key))) {
    expect(page).toContain(`name="${name}" value="${value}"`)
  }
  expect(page).toContain('No start was due yet.')

  await pages.visit(sitePage, save({ rhythm: 'off' }))
  expect(await find()).toBeUndefined()
  expect((await pages.listAudited()).length).toBe(2)
  await pages.visit(sitePage, save({ rhythm: 'off' }))
  expect((await pages.listAudited()).length).toBe(2)
})

test.each([
  [{ rhythm: 'hours', hours: '0' }, 'hours', 'Write a whole number of hours from 1 to 8784.'],
  [{ rhythm: 'daily', dailyTime: '3 am' }, 'dailyTime', 'Write a time of the day, such as 03:00.'],
  [{ rhythm: 'weekly', weekday: 'mon', weeklyTime: '24:00' }, 'weeklyTime', 'Write a time of the day'],
  [{ rhythm: 'weekly', weekday: 'noday', weeklyTime: '03:00' }, 'weekday', 'Choose a day from the list.'],
  [{ rhythm: 'yearly' }, 'rhythm', 'Choose when exports start.'],
])('%j is refused at its field, which gets the focus, and changes nothing', async (form, field, problem) => {
  const { status, text } = await pages.read(sitePage, save(form as never))
  expect(status).toBe(400)
  expect(text.match(/class="problem"/g)).toHaveLength(1)
  expect(text).toContain(`id="problem-${field}">${problem}`)
  if (field !== 'rhythm') expect(text).toMatch(new RegExp(`name="${field}"[^>]* aria-invalid="true" autofocus`))
  if ('dailyTime' in form) expect(text).toContain('value="3 am"')
  expect(await find()).toBeUndefined()
  expect(await pages.listAudited()).toEqual([])
})

test('the page says what came of the last start', async () => {
  const { store } = pages
  await store.siteSchedules.put(domain, { rhythm: parseRhythm('every 6h'), onlyIfChanged: true }, Date.UTC(2030, 0, 1))
  const at = Date.UTC(2029, 11, 31, 18)
  const read = async (kind: ScheduleOutcome['kind'], problem: string | null = null, jobId?: string) => {
    const started = jobId === undefined ? undefined : { jobId, fingerprint: null }
    await store.siteSchedules.record(domain, { kind, at, problem }, started)
    const { text } = await pages.read(sitePage, open())
    return /<dt>Last time<\/dt><dd>(.*?)<\/dd>/s.exec(text)?.[1]?.replaceAll(/<time[^>]*>|<\/time>/g, '')
  }
  expect(await read('started', null, 'se_1')).toBe('An export was started, 2029-12-31 18:00 UTC')
  await store.exportJobs.start(queuedJob({ jobId: 'se_1', organizationId, createdAt: at }), undefined, 0)
  expect(await read('started', null, 'se_1')).toContain('<a href="../../exports/se_1">An export was started</a>')
  expect(await read('unchanged')).toBe(
    'The site did not change since 2029-12-31 18:00 UTC, checked 2029-12-31 18:00 UTC',
  )
  expect(await read('active')).toBe('Skipped, because an export of the site had not ended, 2029-12-31 18:00 UTC')
  expect(await read('refused', 'The queue is <full>.')).toBe(
    'Not started, 2029-12-31 18:00 UTC. The queue is &lt;full&gt;.',
  )
})

test('an organization without static export is told so', async () => {
  const hint = 'The plan of this organization has no static export.'
  expect((await pages.read(sitePage, open())).text).not.toContain(hint)
  const other = await addOrganization(pages.store, { plan: 'standard' })
  const options = { organizationId: other.organizationId, params: { domain: other.domain } }
  expect((await pages.read(sitePage, options)).text).toContain(hint)
})

test('no text in a field becomes an element or a script', async () => {
  for (const hostile of hostileTexts) {
    const form = { rhythm: 'weekly', hours: hostile, dailyTime: hostile, weekday: hostile, weeklyTime: hostile }
    expect(findInjected((await pages.read(sitePage, save(form))).text).faults).toEqual([])
  }
})
