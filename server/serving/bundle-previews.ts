import { mkdir, statfs } from 'node:fs/promises'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { join } from 'node:path'
import type { Stoppable } from '../base/background.ts'
import { BoundedCache } from '../base/bounded-cache.ts'
import { createQueue } from '../base/queue.ts'
import type { BundleStore } from '../export/jobs/bundle-store.ts'
import type { Bundle, ExportJobs } from '../export/jobs/export-job.ts'
import { isPreviewName, type PreviewLinks } from '../export/jobs/preview-links.ts'
import { writePolicy, writeSiteHeaders } from '../host/policy.ts'
import { openServedVersion } from '../host/serve/served-version.ts'
import { createSiteHandler } from '../host/serve/site-handler.ts'
import { filesFolder } from '../host/versions/version.ts'
import type { ServerAddress } from '../operations/client.ts'
import { resolveFeatures } from '../products/features.ts'
import { openScratchFolder, sweepScratchFolders } from '../store/scratch-folder.ts'
import { unpackArchive } from '../unpack/unpack-archive.ts'
import { defaultUnpackLimits } from '../unpack/unpack-limits.ts'

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

interface Opened {
  ready: Promise<Preview>
  /** Requests without a complete answer. */
  users: number
  usedAt: number
}

const hostSuffix = '.localhost'
const pathPrefix = '/preview/'
const folderPrefix = 'quire-preview-'
const maxOpen = 4
/** An unpacked bundle that nobody looks at is removed after this time. */
const idleMs = 10 * 60_000
const cacheBytes = 16 * 1024 ** 2
/** One unpacked bundle may take this share of the free space, apart from what the databases may need. */
const spaceShare = 0.25
const reserveBytes = 1024 ** 3
/** A page asks for many files at the same time. */
const knownMs = 5000
/** Nothing of the session may be used, and no page of the server may be opened in its place. */
const sandbox = 'sandbox allow-scripts allow-popups'
const ended = 'This address has expired, or the export was deleted. Open the site again from the page of its export.'
const busy = 'Several people look at other bundles now. Try again in a few minutes.'

/** What a request gets in place of a page. */
class Refusal extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

/** @param options.workFolder for the unpacked bundles. What killed processes left there is removed. */
export function createBundlePreviews(options: PreviewOptions): BundlePreviews {
  const { links, workFolder, now, onError } = options
  const previews = openPreviews(options)
  const findBundle = createBundleFinder(options)
  void sweepScratchFolders(workFolder, folderPrefix).catch(onError)

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

/** Opens bundles, one at a time, and closes those that nobody looks at. */
function openPreviews(options: PreviewOptions) {
  const { now, onError } = options
  const opened = new Map<string, Opened>()
  const queue = createQueue(1)
  const stopping = new AbortController()
  const timer = setInterval(() => {
    for (const [sha256, { users, usedAt }] of opened) if (users === 0 && now() - usedAt > idleMs) close(sha256)
  }, 60_000).unref()

  function close(sha256: string): void {
    const preview = opened.get(sha256)
    opened.delete(sha256)
    preview?.ready.then(({ close }) => close()).catch(onError)
  }

  function start(bundle: Bundle): Opened {
    const [unused] = [...opened].filter(([, { users }]) => users === 0).sort(([, a], [, b]) => a.usedAt - b.usedAt)
    if (opened.size >= maxOpen) {
      if (!unused) throw new Refusal(503, busy)
      close(unused[0])
    }
    const preview = { ready: queue.add(() => unpack(options, bundle, stopping.signal)), users: 0, usedAt: now() }
    opened.set(bundle.sha256, preview)
    preview.ready.catch(() => {
      if (opened.get(bundle.sha256) === preview) opened.delete(bundle.sha256)
    })
    return preview
  }

  return {
    /** @param res keeps the preview open until it is closed. */
    open(bundle: Bundle, res: ServerResponse): Promise<Preview> {
      const preview = opened.get(bundle.sha256) ?? start(bundle)
      preview.users += 1
      res.once('close', () => {
        preview.users -= 1
        preview.usedAt = now()
      })
      return preview.ready
    },
    async stop() {
      clearInterval(timer)
      stopping.abort()
      const closed = [...opened.values()].map(({ ready }) => ready.then(({ close }) => close()))
      opened.clear()
      await Promise.allSettled(closed)
    },
  }
}

async function unpack(
  { bundles, workFolder, onError }: PreviewOptions,
  bundle: Bundle,
  signal: AbortSignal,
): Promise<Preview> {
  const { fileName, sha256 } = bundle
  signal.throwIfAborted()
  if ((await bundles.check(bundle)) !== 'sound') throw new Refusal(404, ended)
  await mkdir(workFolder, { recursive: true })
  const { bavail, bsize } = await statfs(workFolder)
  const totalBytes = Math.max(0, bavail * bsize - reserveBytes) * spaceShare
  const limits = { ...defaultUnpackLimits, totalBytes }
  const scratch = await openScratchFolder(workFolder, folderPrefix)
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
    isSecret: true,
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
