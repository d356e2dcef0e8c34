import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Stoppable } from '../base/background.ts'
import { BoundedCache } from '../base/bounded-cache.ts'
import type { Bundle, ExportJobs } from '../export/jobs/export-job.ts'
import { isPreviewName, type PreviewLinks } from '../export/jobs/preview-links.ts'
import type { ServerAddress } from '../operations/client.ts'
import { ended, openUnpackedBundles, Refusal, type UnpackedBundlesOptions } from './unpacked-bundles.ts'

/**
 * Shows the pages of bundles to people who may not trust them. Scripts of a bundle cannot reach the session of the dashboard: where a
 * browser reaches this server as localhost, each bundle is a site of its own (`NAME.localhost`, where scripts also run that need the
 * root of a host), and elsewhere its pages have no origin (`/preview/NAME/`, with a sandbox).
 */
export interface BundlePreviews extends Stoppable {
  /** Returns the path on this server that leads to the first page of a bundle for the next hour. */
  path(jobId: string): string
  /**
   * Answers a request for a page of a bundle. Returns false if it is a request for something else.
   *
   * @param server where the browser reaches the server
   */
  answer(req: IncomingMessage, res: ServerResponse, server: ServerAddress): boolean
}

export interface PreviewOptions extends UnpackedBundlesOptions {
  links: PreviewLinks
  exportJobs: Pick<ExportJobs, 'find'>
}

const hostSuffix = '.localhost'
const pathPrefix = '/preview/'
/** A page asks for many files at the same time. */
const knownMs = 5000

export function createBundlePreviews(options: PreviewOptions): BundlePreviews {
  const { links, now, onError } = options
  const previews = openUnpackedBundles(options)
  const findBundle = createBundleFinder(options)

  async function send({ name, base, url }: Target, req: IncomingMessage, res: ServerResponse) {
    const jobId = links.read(name, now())
    const bundle = jobId === undefined ? undefined : await findBundle(jobId)
    if (!bundle) throw new Refusal(404, ended)
    const preview = await previews.open(bundle, res)
    const handle = base === undefined ? preview.host : preview.openSandbox(base)
    req.url = url
    handle(req, res)
  }

  return {
    path: jobId => `${pathPrefix}${links.create(jobId, now())}/`,
    answer(req, res, server) {
      const target = readTarget(req, server)
      if (!target) return false
      if (target.location !== undefined) return leadTo(res, target.location)
      if (mayReachSession(req, target)) return refuse(res, 403, 'Pages of the server may not load files of a bundle.')
      send(target, req, res).catch(error => {
        if (error instanceof Refusal) return refuse(res, error.status, error.message)
        onError(error)
        if (res.headersSent) res.destroy()
        else refuse(res, 500, 'The pages of this bundle cannot be shown. The log of the server says why.')
      })
      return true
    },
    stop: previews.stop,
  }
}

interface Target {
  name: string
  /** The path of the bundle as browsers see it; undefined = the root of a host. */
  base?: string
  /** The address of the page in the bundle. */
  url: string
  /** Where the request is led to. */
  location?: string
}

/** Returns what a request asks for; undefined = nothing of a bundle. */
function readTarget(
  { headers: { host = '' }, url = '' }: IncomingMessage,
  { url: server, isPublic }: ServerAddress,
): Target | undefined {
  const [, hostname = '', port = ''] = /^(.*?)((?::\d+)?)$/.exec(host) ?? []
  const label = hostname.endsWith(hostSuffix) ? hostname.slice(0, -hostSuffix.length) : ''
  if (isPreviewName(label)) return { name: label, url }
  if (!url.startsWith(pathPrefix)) return undefined
  const path = url.slice(pathPrefix.length)
  const [name = ''] = path.split(/[/?]/, 1)
  const rest = path.slice(name.length)
  const target = { name, base: `${new URL(server).pathname.replace(/\/$/, '')}${pathPrefix}${name}`, url: rest }
  if (!isPreviewName(name)) return target
  // Without a slash after the name, relative links of the page would lead elsewhere.
  if (!rest.startsWith('/')) return { ...target, location: `${name}/` }
  const isLocal = !isPublic && ['localhost', '127.0.0.1', '[::1]'].includes(hostname)
  return isLocal ? { ...target, location: `http://${name}${hostSuffix}${port}${rest}` } : target
}

/**
 * Decides whether a page of the server itself asks for a file of a sandboxed bundle. Its policy allows scripts of its own origin, and
 * these are the scripts of strangers. The pages of the bundle have no origin, so browsers say `cross-site` for them.
 */
function mayReachSession({ headers }: IncomingMessage, { base }: Target): boolean {
  const { 'sec-fetch-site': site, 'sec-fetch-dest': purpose } = headers
  return base !== undefined && (site === 'same-origin' || site === 'same-site') && purpose !== 'document'
}

/** Finds the bundles of jobs, and remembers them for some seconds. */
function createBundleFinder({ exportJobs, now }: PreviewOptions): (jobId: string) => Promise<Bundle | null> {
  const known = new BoundedCache<string, { bundle: Bundle | null; until: number }>(100)
  return async jobId => {
    const found = known.get(jobId)
    if (found && found.until > now()) return found.bundle
    const bundle = (await exportJobs.find(jobId))?.bundle ?? null
    known.set(jobId, { bundle, until: now() + knownMs })
    return bundle
  }
}

function leadTo(res: ServerResponse, location: string): true {
  res.writeHead(302, { Location: location, 'Cache-Control': 'no-store', 'Content-Length': 0 })
  res.end()
  return true
}

function refuse(res: ServerResponse, status: number, text: string): true {
  res.writeHead(status, {
    'Content-Type': 'text/plain; charset=utf-8',
    'Content-Security-Policy': "default-src 'none'; sandbox",
    'Cache-Control': 'no-store',
  })
  res.end(`${text}\n`)
  return true
}
