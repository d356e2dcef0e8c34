import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { PageNotFound } from '../../server/dashboard/page.ts'
import { exportPage } from '../../server/dashboard/pages/export.ts'
import { exportsPage } from '../../server/dashboard/pages/exports.ts'
import { type ExportVisits, emptyReport, openExportVisits, pageOf } from './export-visits.ts'
import { findInjected, hostileTexts } from './page-visit.ts'

let visits: ExportVisits
beforeEach(async () => {
  visits = await openExportVisits()
})
afterEach(() => visits.pages.dispose())

describe('a person', () => {
  test('makes a link that is shown only on the page that answers', async () => {
    const { jobId, bundle } = await visits.complete()
    const answer = pageOf(await visits.act('link', jobId))
    const { text } = answer
    const url = /<code id="bundle-url">([^<]+)</.exec(text)?.[1]?.replaceAll('&amp;', '&') ?? ''
    expect(url).toMatch(new RegExp(`^https://quire.example.com/bundles/${jobId}/`))
    expect(visits.pages.deps.bundleLinks.isValid(url.slice('https://quire.example.com'.length), Date.now())).toBe(true)
    expect(text).toMatch(/<time datetime="[^"]+" title="[^"]+" data-until>/)
    expect(text).toContain(bundle?.sha256)
    expect(await visits.pages.listAudited()).toEqual([`bundle-link.created ${jobId}`])
    expect((await visits.showJob(jobId)).text).not.toContain('signature=')
    expect((await visits.showList()).text).not.toContain('signature=')
  })

  test('downloads the bundle itself', async () => {
    const { jobId, bundle } = await visits.complete()
    const answer = await visits.act('download', jobId)
    if (!('download' in answer)) throw new Error('no download')
    const chunks: Buffer[] = []
    for await (const chunk of answer.download.body as AsyncIterable<Buffer>) chunks.push(chunk)
    expect(createHash('sha256').update(Buffer.concat(chunks)).digest('hex')).toBe(bundle?.sha256)
    expect(answer.download).toMatchObject({
      fileName: `${visits.own.domain}-${jobId}.zip`,
      sizeBytes: bundle?.sizeBytes,
    })
  })

  test('deletes an export, and asks a second time while a link works', async () => {
    const { jobId, bundle } = await visits.complete()
    const file = join(visits.pages.dataFolder, 'bundles', bundle?.fileName ?? '')
    await visits.act('link', jobId)
    const answer = pageOf(await visits.act('delete', jobId))
    expect(answer.status).toBe(409)
    expect(answer.text).toContain('A link to this bundle still works')
    expect(answer.text).toContain('name="despiteLink" value="yes"')
    expect(existsSync(file)).toBe(true)
    expect(await visits.act('delete', jobId, { despiteLink: 'yes' })).toEqual({
      leadTo: '/exports',
      notice: 'export-deleted',
    })
    expect(existsSync(file)).toBe(false)
    expect(await visits.listJobs()).toEqual([])
    expect(await visits.pages.listAudited()).toContain(`export.deleted ${jobId}`)
  })

  test('cancels an open export, and then it says who did', async () => {
    const jobId = await visits.queue()
    expect((await visits.showJob(jobId)).text).toContain(`${jobId}/cancel"`)
    expect(await visits.act('cancel', jobId)).toEqual({ leadTo: `/exports/${jobId}`, notice: 'export-cancelled' })
    const [job] = await visits.listJobs()
    expect(job).toMatchObject({ status: 'failed', error: expect.stringMatching(/^Cancelled by .+\. Start it again/) })
    expect(await visits.pages.listAudited()).toEqual([`export.cancelled ${jobId}`])
    expect((await visits.showJob(jobId)).text).not.toContain('/cancel"')
    expect(await visits.act('cancel', jobId)).toEqual({ leadTo: `/exports/${jobId}`, notice: 'export-had-ended' })
    expect(await visits.pages.listAudited()).toEqual([`export.cancelled ${jobId}`])
  })

  test('cancels no export that has ended', async () => {
    const { jobId } = await visits.complete()
    await visits.act('cancel', jobId)
    expect(await visits.listJobs()).toMatchObject([{ status: 'completed', error: null }])
  })

  test('deletes no export that has not ended', async () => {
    const jobId = await visits.queue()
    expect(await visits.act('delete', jobId)).toMatchObject({ status: 409 })
    expect(await visits.listJobs()).toHaveLength(1)
    expect(await visits.pages.listAudited()).toEqual([])
  })
})

test('an organization that lost the plan gets no bundle, by no button and no form', async () => {
  const { jobId } = await visits.complete()
  await visits.pages.store.organizations.updatePlan(visits.own.organizationId, 'standard')
  const hint = 'The plan of this organization has no static export.'
  const { text } = await visits.showJob(jobId)
  expect(text).toContain(hint)
  expect(text).not.toContain(`/exports/${jobId}/download`)
  expect(text).not.toContain(`/exports/${jobId}/link`)
  for (const action of ['download', 'link']) {
    const answer = pageOf(await visits.act(action, jobId))
    expect([action, answer.status]).toEqual([action, 403])
    expect(answer.text).toContain(hint)
    expect(answer.text).not.toContain('signature=')
  }
  expect(await visits.start({})).toMatchObject({ status: 403 })
  await visits.pages.store.organizations.updatePlan(visits.own.organizationId, 'enterprise')
  const answer = await visits.act('download', jobId)
  if (!('download' in answer)) throw new Error('no download')
  for await (const _ of answer.download.body as AsyncIterable<Buffer>); // closes the file
})

describe('another organization', () => {
  test('gets 404 for every page and form of an export, and changes nothing', async () => {
    const { jobId, bundle } = await visits.complete()
    const waiting = await visits.queue()
    for (const id of [jobId, waiting]) {
      const options = { organizationId: visits.other.organizationId, params: { jobId: id } }
      await expect(visits.pages.visit(exportPage, options)).rejects.toThrow(PageNotFound)
      for (const action of ['link', 'download', 'cancel', 'delete']) {
        const form = { despiteLink: 'yes' }
        await expect(visits.pages.visit(exportPage, { ...options, action, form })).rejects.toThrow(PageNotFound)
      }
    }
    expect(await visits.listJobs()).toHaveLength(2)
    expect(existsSync(join(visits.pages.dataFolder, 'bundles', bundle?.fileName ?? ''))).toBe(true)
    expect(await visits.pages.store.exportJobs.findLastLinkExpiry(Date.now())).toBeUndefined()
    expect(await visits.pages.listAudited()).toEqual([])
  })

  test('sees nothing of it in its list, also with the id for a form like it', async () => {
    const { jobId } = await visits.complete({ version: 'secret-version' })
    const { text } = await visits.pages.read(exportsPage, {
      organizationId: visits.other.organizationId,
      query: `like=${jobId}`,
    })
    expect(text).not.toContain('secret-version')
    expect(text).not.toContain(visits.own.domain)
  })

  test('cannot start an export of the site', async () => {
    const answer = await visits.start({}, visits.other.organizationId)
    expect(answer).toMatchObject({ status: 400 })
    expect(await visits.listJobs(visits.other.organizationId)).toEqual([])
    expect(await visits.listJobs()).toEqual([])
  })
})

describe('hostile texts', () => {
  test.each(hostileTexts)('%s stays a text in every place', async hostile => {
    const answer = pageOf(
      await visits.start({
        domain: hostile,
        version: hostile,
        paths: hostile,
        deployment: hostile,
        key: hostile,
      }),
    )
    expect(answer.status).toBe(400)
    const texts = [answer.text]

    const request = { version: hostile, paths: [hostile] }
    const failing = await visits.fail(hostile, request)
    const completed = await visits.complete(
      { ...request, domain: hostile },
      {
        report: {
          ...emptyReport,
          removedFeatures: [{ product: hostile, feature: null, pages: 1 }],
          deadLinks: [{ to: hostile, reason: hostile, count: 1, pages: [hostile] }],
          differences: [{ page: hostile, place: 'root', what: hostile }],
          skipped: [{ url: hostile, reason: hostile }],
          missingFiles: [{ url: hostile, reason: hostile, count: 1, pages: [hostile] }],
          notes: [hostile],
        },
      },
    )
    texts.push((await visits.showJob(failing)).text)
    texts.push((await visits.showJob(completed.jobId)).text)
    texts.push((await visits.showList()).text)
    texts.push((await visits.showList(`like=${completed.jobId}&from=${encodeURIComponent(hostile)}`)).text)
    texts.push((await visits.showList(`site=${encodeURIComponent(hostile)}`)).text)
    for (const action of ['link', 'delete']) texts.push(pageOf(await visits.act(action, completed.jobId)).text)
    expect(texts).toHaveLength(8)
    const shown = texts.map(findInjected)
    expect(shown.flatMap(({ faults }) => faults)).toEqual([])
    // The page of the link has no text of others but the domain in its title.
    expect(shown.filter(({ texts }) => texts.some(text => text.includes(hostile)))).toHaveLength(6)
  })

  test('the check for injected texts finds them', () => {
    for (const text of ['<script>', '<a onclick="x">', '<a href="javascript:x">', '<img src=x>']) {
      expect(findInjected(text).faults).not.toEqual([])
    }
  })
})
