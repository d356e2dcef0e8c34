import { createClient, waitForExport } from '../../../spec/package/client/index.ts'

/** Uses the client as a front end does, and writes into the page what it sees. */
export async function useClient(baseUrl: string, list: HTMLElement): Promise<void> {
  const show = (text: string) => {
    const item = document.createElement('li')
    item.textContent = text
    list.append(item)
  }
  const quire = createClient({ baseUrl, apiKey: 'any' })
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
  // Different questions, because the browser keeps an answer, and a 304 costs nothing of the rate limit.
  for (let offset = 0; offset < 4; offset++) {
    const params = { path: { projectId: 'prj_5b1c2d3e4f506172' }, query: { offset } }
    const visitors = await quire.getUniqueVisitors({ params })
    if (visitors.status === 429) show(`429 Retry-After ${visitors.response.headers.get('Retry-After')}`)
  }
}
