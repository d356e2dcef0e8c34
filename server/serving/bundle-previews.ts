import { mkdir, statfs } from 'node:fs/promises'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { join } from 'node:path'
import type { Stoppable } from '../base/background.ts'
import type { BundleStore } from '../export/jobs/bundle-store.ts'
import type { Bundle, ExportJobs } from '../export/jobs/export-job.ts'
import type { PreviewLinks } from '../export/jobs/preview-links.ts'
import { writePolicy, writeSiteHeaders } from '../host/policy.ts'
import { openServedVersion } from '../host/serve/served-version.ts'
import { createSiteHandler } from '../host/serve/site-handler.ts'
import { filesFolder } from '../host/versions/version.ts'
import { resolveFeatures } from '../products/features.ts'
import { openScratchFolder } from '../store/scratch-folder.ts'
import { unpackArchive } from '../unpack/unpack-archive.ts'
import { defaultUnpackLimits } from '../unpack/unpack-limits.ts'

/**
 * Shows the pages of bundles to people who may not trust them. Scripts of a bundle cannot reach the session of the dashboard: on
 * this machine, each bundle is a site of its own (`NAME.localhost`, where scripts also run that need the root of a host), and
 * elsewhere its pages have no origin (`/preview/NAME/`, with a sandbox).
 */
export interface BundlePreviews extends Stoppable {
  /** Returns the address of the first page for the next hour; `server` is where the browser reaches the server. */
  address(jobId: string, server: string): string
  /** Answers a request for a page of a bundle. Returns false if it is a request for something else. */
  answer(req: IncomingMessage, res: ServerResponse): boolean
}

export interface PreviewOptions {
  links: PreviewLinks
  bundles: Pick<BundleStore, 'withFile' | 'check'>
  exportJobs: Pick<ExportJobs, 'find'>
  workFolder: string
  now(): number
  onError(error: unknown): void
}

interface Preview {
  /** At the root of a host. */
  host: RequestListener
  /** In the sandbox, under a path. */
  openSandbox(base: string): RequestListener
  close(): Promise<void>
}

const hostSuffix = '.localhost'
const pathPrefix = '/preview/'
const loopback = ['127.0.0.1', 'localhost', '[::1]']
const prefix = 'quire-preview-'
const maxOpen = 4
const cacheBytes = 16 * 1024 ** 2
/** Of the free space, for one unpacked bundle. */
const spaceShare = 0.25
/** Nothing of the session may be used, and no page of the server may be opened in its place. */
const sandbox = 'sandbox allow-scripts allow-popups'

export function createBundlePreviews(options: PreviewOptions): BundlePreviews {
  const { links, bundles, exportJobs, now, onError } = options
  /** By the SHA-256 of the bundle, the one that was used last at the end. */
  const opened = new Map<string, Promise<Preview>>()
  const stopping = new AbortController()

  function open(bundle: Bundle): Promise<Preview> {
    const known = opened.get(bundle.sha256)
    const preview = known ?? unpack(options, bundle, stopping.signal)
    opened.delete(bundle.sha256)
    opened.set(bundle.sha256, preview)
    if (!known) preview.catch(() => opened.delete(bundle.sha256))
    const [oldest] = opened
    if (oldest && opened.size > maxOpen) {
      opened.delete(oldest[0])
      oldest[1].then(({ close }) => close()).catch(onError)
    }
    return preview
  }

  async function send({ name, base }: Target, req: IncomingMessage, res: ServerResponse) {
    const jobId = links.read(name, now())
    const job = jobId === undefined ? undefined : await exportJobs.find(jobId)
    if (!job?.bundle || (await bundles.check(job.bundle)) !== 'sound') return refuse(res, 404, ended)
    const preview = await open(job.bundle)
    const handle = base === undefined ? preview.host : preview.openSandbox(base)
    handle(req, res)
  }

  return {
    address(jobId, server) {
      const { protocol, hostname, port } = new URL(server)
      const name = links.create(jobId, now())
      if (!loopback.includes(hostname) || protocol !== 'http:') return `${server}${pathPrefix}${name}/`
      return `http://${name}${hostSuffix}${port === '' ? '' : `:${port}`}/`
    },
    answer(req, res) {
      const target = readTarget(req)
      if (!target) return false
      req.url = target.url
      send(target, req, res).catch(error => {
        onError(error)
        if (res.headersSent) res.destroy()
        else refuse(res, 500, 'The pages of this bundle cannot be shown. The log of the server says why.')
      })
      return true
    },
    async stop() {
      stopping.abort()
      const closed = [...opened.values()].map(preview => preview.then(({ close }) => close()))
      opened.clear()
      await Promise.allSettled(closed)
    },
  }
}

interface Target {
  name: string
  /** The path of the bundle; undefined = the root of a host. */
  base?: string
  /** The address of the page in the bundle. */
  url: string
}

/** Returns what a request asks for; undefined = nothing of a bundle. */
function readTarget({ headers, url = '' }: IncomingMessage): Target | undefined {
  const host = headers.host?.replace(/:\d+$/, '') ?? ''
  if (host.endsWith(hostSuffix)) return { name: host.slice(0, -hostSuffix.length), url }
  if (!url.startsWith(pathPrefix)) return undefined
  // Without a slash after the name, relative links of the page would lead elsewhere. No such name is valid.
  const [, name = '', rest = '/'] = /^([^/?]+)(\/.*)$/.exec(url.slice(pathPrefix.length)) ?? []
  return { name, base: `${pathPrefix}${name}`, url: rest }
}

async function unpack(
  { bundles, workFolder, onError }: PreviewOptions,
  { fileName, sha256 }: Bundle,
  signal: AbortSignal,
): Promise<Preview> {
  signal.throwIfAborted()
  await mkdir(workFolder, { recursive: true })
  const { bavail, bsize } = await statfs(workFolder)
  const limits = { ...defaultUnpackLimits, totalBytes: bavail * bsize * spaceShare }
  const scratch = await openScratchFolder(workFolder, prefix)
  try {
    const folder = join(scratch.path, filesFolder)
    await bundles.withFile(fileName, file => unpackArchive({ file, folder, limits, signal }))
  } catch (error) {
    await scratch.close()
    throw error
  }
  const version = {
    id: sha256.slice(0, 16),
    folder: scratch.path,
    cacheBytes,
    vary: 'Accept-Encoding',
    headStart: '',
  }
  const policy = writePolicy(
    { deployment: 'air-gapped', features: resolveFeatures('air-gapped', {}), featureHosts: [] },
    [],
  )
  const siteHeaders = [...writeSiteHeaders('air-gapped'), 'Cross-Origin-Opener-Policy', 'same-origin']
  const host = openServedVersion({ ...version, siteHeaders, policy })
  // Files that a page without an origin loads with CORS, such as modules and fonts, are from another origin.
  const open = ['Access-Control-Allow-Origin', '*']
  // Keeps no files, because each name has addresses of its own.
  const inSandbox = {
    ...version,
    siteHeaders: [...siteHeaders, ...open],
    policy: `${sandbox}; ${policy}`,
    cacheBytes: 0,
  }
  const handle = (served: typeof host) =>
    createSiteHandler({ current: () => served, earlier: () => [], corsOrigins: [], onError })
  return {
    host: handle(host),
    openSandbox: base => handle(openServedVersion({ ...inSandbox, base })),
    close: scratch.close,
  }
}

const ended = 'This address has expired, or the export was deleted. Open the site again from the page of its export.'

function refuse(res: ServerResponse, status: number, text: string): true {
  res.writeHead(status, {
    'Content-Type': 'text/plain; charset=utf-8',
    'Content-Security-Policy': "default-src 'none'; sandbox",
    'Cache-Control': 'no-store',
  })
  res.end(`${text}\n`)
  return true
}
