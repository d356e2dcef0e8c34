import { createClient, waitForExport } from '../../../spec/package/client/index.ts'

/** The server that the page uses. */
export interface Api {
  baseUrl: string
  apiKey: string
  projectId: string
}

/** The key and the project of the mock. */
export const mocked = { apiKey: 'any', projectId: 'prj_5b1c2d3e4f506172' }
/** More questions than any plan allows at once. */
const maxQuestions = 1000

/** Uses the client as a front end does, and writes into the page what it sees. */
export async function useClient({ baseUrl, apiKey, projectId }: Api, list: HTMLElement): Promise<void> {
  const show = (text: string) => {
    const item = document.createElement('li')
    item.textContent = text
    list.append(item)
  }
  const quire = createClient({ baseUrl, apiKey })
  const started = await quire.startStaticExportJob({ body: { domain: 'docs.example.com' } })
  if (started.status !== 202) return show(`not started: ${started.status}`)
  show(`Location ${started.response.headers.get('Location')?.replace(started.data.jobId, 'JOB_ID')}`)
  const { jobId } = started.data
  const states = new Set<string>()
  for await (const { status } of waitForExport(quire, jobId, { firstWaitMs: 20, maxWaitMs: 20 })) states.add(status)
  show([...states].join(' '))
  const link = await quire.generateStaticExportBundle({ params: { path: { jobId } } })
  if (link.status !== 200) return show(`no link: ${link.status}`)
  const bundle = await fetch(link.data.bundleUrl)
  const isWhole = (await bundle.arrayBuffer()).byteLength === link.data.sizeBytes
  show(
    `bundle ${bundle.status} ${isWhole ? 'whole' : 'damaged'} ${bundle.headers.get('Content-Disposition')?.replace(jobId, 'JOB_ID')}`,
  )
  const first = await quire.getUniqueVisitors({ params: { path: { projectId } } })
  const header = { 'If-None-Match': first.response.headers.get('ETag') ?? '' }
  const again = await quire.getUniqueVisitors({ params: { path: { projectId }, header } })
  const counted = await quire.getUniqueVisitors({
    params: { path: { projectId }, header },
    headers: { 'Cache-Control': 'no-cache' },
  })
  show(`visitors ${first.status} ${again.status}, counted again ${counted.status}`)
  // Different questions, because the browser keeps an answer, and a 304 costs nothing of the rate limit.
  for (let offset = 0; offset < maxQuestions; offset++) {
    const visitors = await quire.getUniqueVisitors({ params: { path: { projectId }, query: { offset } } })
    if (visitors.status === 429) return show(`429 Retry-After ${visitors.response.headers.get('Retry-After')}`)
  }
}
