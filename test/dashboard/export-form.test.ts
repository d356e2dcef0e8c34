import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { exportsPage } from '../../server/dashboard/pages/exports.ts'
import { projectsPage } from '../../server/dashboard/pages/projects.ts'
import { type ExportVisits, findApiWords, openExportVisits, pageOf, strip } from './export-visits.ts'
import { addOrganization } from './page-visit.ts'

/** One more than an export can name. */
const manyPaths = Array.from({ length: 1001 }, (_, i) => `/${i}`).join('\n')

let visits: ExportVisits
beforeEach(async () => {
  visits = await openExportVisits()
})
afterEach(() => visits.pages.dispose())

describe('the form', () => {
  test('starts an export with the settings, and leads to its page', async () => {
    const answer = await visits.start({
      version: ' Release 2.4 ',
      paths: `/guide\r\n\r\nindex\n/guide\nhttps://${visits.own.domain}/api/start\n`,
      deployment: 'client-hosted',
      'client-hosted.search': 'on',
      'air-gapped.playground': 'on',
      offlineSearch: 'on',
      format: 'tar.gz',
    })
    const [job] = await visits.listJobs()
    expect(answer).toEqual({ leadTo: `/exports/${job?.jobId}`, notice: 'export-started' })
    expect(job?.request).toMatchObject({
      domain: visits.own.domain,
      version: 'Release 2.4',
      paths: ['/guide', '/', '/api/start'],
      deployment: 'client-hosted',
      features: { search: true, assistant: false, analytics: false, playground: true },
      offlineSearch: true,
      format: 'tar.gz',
    })
    expect(await visits.pages.listAudited()).toEqual([`export.started ${job?.jobId}`])
  })

  test('leads to the schedule of the only site', async () => {
    const { text } = await visits.showList()
    expect(text).toContain(`href="projects/sites/${visits.own.domain}#schedule"`)
  })

  test('starts one export when its button is pressed twice', async () => {
    const [first, second] = await Promise.all([visits.start({}), visits.start({})])
    expect(second).toEqual(first)
    expect(await visits.listJobs()).toHaveLength(1)
    expect(await visits.pages.listAudited()).toHaveLength(1)
  })

  test('asks once more when a used form is sent with other settings, and starts then', async () => {
    await visits.start({})
    const answer = pageOf(await visits.start({ version: '2' }))
    expect(answer.status).toBe(409)
    expect(answer.text).toContain('This form has already started an export')
    const key = /name="key" value="([^"]+)"/.exec(answer.text)?.[1] ?? ''
    expect(key).toMatch(/^[\w-]{36}$/)
    await visits.start({ version: '2', key })
    expect(await visits.listJobs()).toHaveLength(2)
  })

  test.each([
    ['a label that is none', { version: 'ü' }, 400, 'The version must begin with a letter or digit'],
    ['a path that is none', { paths: '/good\nguide?x=1' }, 400, '&quot;guide?x=1&quot; is not the path of a page.'],
    [
      'a site that is not registered',
      { domain: 'elsewhere.example.com' },
      400,
      'This organization has no site with this domain.',
    ],
    ['no site', { domain: '' }, 400, 'This organization has no site with this domain.'],
    ['a deployment of nobody', { deployment: 'moon' }, 400, 'Choose one from the list.'],
    ['an unknown format', { format: 'rar' }, 400, 'Choose one from the list.'],
    ['too many paths', { paths: manyPaths }, 400, 'List at most 1,000 different pages'],
    ['a key that the page did not make', { key: 'a b' }, 400, 'The form is out of date.'],
  ])('answers %s at its field and keeps what was typed', async (_what, wrong, status, sentence) => {
    const typed = { version: 'v1.2', paths: '/kept', ...wrong }
    const answer = pageOf(await visits.start(typed))
    expect(answer.status).toBe(status)
    const { text } = answer
    expect(text).toContain(sentence)
    expect(findApiWords(text)).toEqual([])
    expect(text).toContain('role="alert"')
    expect(text).toContain(`value="${typed.version}"`)
    expect(text).toContain(typed.paths.split('\n').at(-1))
    expect(await visits.listJobs()).toEqual([])
    expect(await visits.pages.listAudited()).toEqual([])
  })
})

describe('the form says', () => {
  test('why the plan does not allow it, and keeps what was typed', async () => {
    const standard = await addOrganization(visits.pages.store, { plan: 'standard' })
    const answer = pageOf(await visits.start({ domain: standard.domain, version: 'kept' }, standard.organizationId))
    expect(answer.status).toBe(403)
    expect(answer.text).toContain('Static export needs the enterprise plan.')
    expect(answer.text).toContain('value="kept"')
    expect(await visits.listJobs(standard.organizationId)).toEqual([])
  })

  test('that the queue is full', async () => {
    for (let i = 0; i < 3; i += 1) await visits.queue()
    const answer = pageOf(await visits.start({ version: 'kept' }))
    expect(answer.status).toBe(429)
    expect(answer.text).toContain('has 3 queued exports, and the limit is 3')
    expect(answer.text).toContain('value="kept"')
  })

  test('offers the sites of the organization only', async () => {
    const { text } = await visits.showList()
    expect(text).toContain(`<option value="${visits.own.domain}">`)
    expect(text).not.toContain(visits.other.domain)
  })

  test('that a site must be registered first, where that is done, and who can do it', async () => {
    const { organizationId, domain } = visits.own
    await visits.pages.store.sites.delete(domain)
    const forOperator = await visits.pages.read(exportsPage, { organizationId, operator: true })
    expect(forOperator.text).toContain('An export needs a registered site, and this organization has none yet.')
    expect(forOperator.text).toContain('<a href="projects#new-site">Register a site first</a>')
    expect(forOperator.text).not.toContain('Choose a site above')
    const target = await visits.pages.read(projectsPage, { organizationId, operator: true })
    expect(target.text).toContain('id="new-site"')
    const { text } = await visits.showList()
    expect(strip(text)).toContain('none yet. Ask an operator of this server to register a site here in the dashboard')
    expect(text).not.toContain('Register a site first')
  })

  test('that a site needs a project', async () => {
    const organizationId = 'org_new'
    await visits.pages.store.organizations.insert({ id: organizationId, name: 'New', plan: 'enterprise', createdAt: 0 })
    const { text } = await visits.pages.read(projectsPage, { organizationId, operator: true })
    expect(strip(text.slice(text.indexOf('id="new-site"')))).toContain('A site belongs to a project.')
  })

  test('what each deployment fixes, and offers what is left', async () => {
    const { text } = await visits.showList()
    const names = [...text.matchAll(/type="checkbox" name="([^"]+)"/g)].map(([, name]) => name)
    expect(names).toEqual([
      'air-gapped.playground',
      'client-hosted.search',
      'client-hosted.assistant',
      'client-hosted.analytics',
      'offlineSearch',
    ])
    expect(text).toContain('because they need a cloud service')
  })

  test('is filled in like an earlier export', async () => {
    const { jobId } = await visits.complete({
      version: '7.1',
      paths: ['/a', '/b'],
      deployment: 'client-hosted',
      features: { search: true, assistant: false, analytics: false, playground: true },
      format: 'tar.gz',
    })
    const { text } = await visits.showList(`like=${jobId}`)
    expect(text).toContain('value="7.1"')
    expect(text).toContain('/a\n/b</textarea>')
    expect(text).toContain('name="client-hosted.search" checked')
    expect(text).toContain('value="client-hosted" checked')
    expect(text).toContain('<option value="tar.gz" selected>')
    const answer = await visits.start({ version: '7.1', paths: '/a\n/b' })
    expect(answer).toHaveProperty('leadTo')
  })
})
