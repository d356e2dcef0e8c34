import { afterEach, beforeEach, expect, test } from 'vitest'
import { PageNotFound } from '../../server/dashboard/page.ts'
import { projectSettingsPage } from '../../server/dashboard/pages/project-settings.ts'
import { usualCounting } from '../../server/tenancy/project.ts'
import { addOrganization, findInjected, hostileTexts, openPageVisits, type PageVisits } from './page-visit.ts'

let pages: PageVisits
let organizationId: string
let projectId: string
beforeEach(async () => {
  pages = await openPageVisits()
  ;({ organizationId, projectId } = await addOrganization(pages.store))
})
afterEach(() => pages.dispose())

const open = (options: object = {}) => ({ organizationId, params: { projectId }, ...options })
const save = (form: Record<string, string>) => open({ action: 'save', form })
const findCounting = async () => (await pages.store.projects.find(projectId))?.counting

/** Reads the form as a browser would send it. */
async function readForm() {
  const { text } = await pages.read(projectSettingsPage, open())
  const decode = (value: string) => value.replaceAll('&quot;', '"').replaceAll('&amp;', '&')
  const lines = [...text.matchAll(/<textarea[^>]* name="(\w+)"[^>]*>([^<]*)</g)]
  return {
    ...Object.fromEntries(lines.map(([, name = '', value = '']) => [name, decode(value)])),
    ai: /<option value="(\w+)" selected/.exec(text)?.[1] ?? '',
  }
}

const agents = '{"agents": [{"name": "OurBot", "class": "assistant", "contains": ["OurBot/"]}]}'

test('settings are saved as the command does, written to the audit log, and shown', async () => {
  const form = {
    ownAddresses: '203.0.113.0/24\r\n\r\n2001:db8::1',
    notPages: '/status/',
    pages: '/api/*\r\n*.PDF',
    ai: 'assistants',
    agents,
  }
  expect(await pages.visit(projectSettingsPage, save(form))).toEqual({
    leadTo: `/projects/settings/${projectId}`,
    notice: 'project-changed',
  })
  const counting = {
    ownAddresses: ['203.0.113.0/24', '2001:db8::1'],
    notPages: ['/status'],
    pages: ['/api/*', '*.pdf'],
    ai: 'assistants',
    aiSince: expect.any(Number),
    agents: [{ name: 'OurBot', class: 'assistant', contains: ['OurBot/'], ranges: [], complete: false }],
  }
  expect(await findCounting()).toEqual(counting)
  expect(await pages.listAudited()).toEqual([`project.changed ${projectId}`])
  await pages.visit(projectSettingsPage, save(await readForm()))
  expect(await findCounting()).toEqual(counting)
  await pages.visit(projectSettingsPage, save({ ai: 'all' }))
  expect(await findCounting()).toEqual({ ...usualCounting, aiSince: expect.any(Number) })
})

test('a new project has empty fields, and the page says from when a change holds', async () => {
  expect(await readForm()).toEqual({ ownAddresses: '', notPages: '', pages: '', agents: '', ai: 'all' })
  const { text } = await pages.read(projectSettingsPage, open())
  expect(text).toContain('apply to visits that are counted from now on')
  expect(text).toContain('href="../../../../docs/visitors#what-counts-in-a-project"')
})

test.each([
  ['ownAddresses', '203.0.113.0/33', '203.0.113.0/33 is neither an address nor a block such as 203.0.113.0/24.'],
  ['notPages', 'status', 'status must begin with a slash.'],
  ['pages', '*pdf', '*pdf must be a star and an extension, such as *.pdf.'],
  ['ai', 'people', 'Choose what counts as AI from the list.'],
  ['agents', agents.replace('assistant', 'bot'), 'agents, entry 1, class: It must be one of'],
])('%s %s is refused at its field, keeps what was written, and changes nothing', async (field, value, problem) => {
  const { status, text } = await pages.read(projectSettingsPage, save({ ai: 'all', pages: '/kept', [field]: value }))
  expect(status).toBe(400)
  expect(text.match(/class="problem"/g)).toHaveLength(1)
  expect(text).toContain(`id="problem-${field}">${problem}`)
  if (field !== 'pages') expect(text).toContain('>/kept</textarea>')
  expect(await findCounting()).toBeUndefined()
  expect(await pages.listAudited()).toEqual([])
})

test('a project of another organization does not exist', async () => {
  const other = await addOrganization(pages.store)
  const params = { projectId: other.projectId }
  await expect(pages.visit(projectSettingsPage, { ...save({ ai: 'all' }), params })).rejects.toThrow(PageNotFound)
  await expect(pages.visit(projectSettingsPage, open({ params }))).rejects.toThrow(PageNotFound)
})

test('no text in a setting becomes an element or a script', async () => {
  for (const hostile of hostileTexts) {
    const form = { ownAddresses: hostile, notPages: hostile, pages: hostile, agents: hostile, ai: hostile }
    expect(findInjected((await pages.read(projectSettingsPage, save(form))).text).faults).toEqual([])
  }
})
