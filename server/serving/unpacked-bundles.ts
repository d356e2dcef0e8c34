import { mkdir, statfs } from 'node:fs/promises'
import type { RequestListener, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { createQueue } from '../base/queue.ts'
import type { BundleStore } from '../export/jobs/bundle-store.ts'
import type { Bundle } from '../export/jobs/export-job.ts'
import { writePolicy, writeSiteHeaders } from '../host/policy.ts'
import { openServedVersion } from '../host/serve/served-version.ts'
import { createSiteHandler } from '../host/serve/site-handler.ts'
import { filesFolder } from '../host/versions/version.ts'
import { resolveFeatures } from '../products/features.ts'
import { openScratchFolder, sweepScratchFolders } from '../store/scratch-folder.ts'
import { unpackArchive } from '../unpack/unpack-archive.ts'
import { defaultUnpackLimits } from '../unpack/unpack-limits.ts'

export interface UnpackedBundlesOptions {
  bundles: Pick<BundleStore, 'withFile' | 'check'>
  /** What killed processes left there is removed. */
  workFolder: string
  now(): number
  onError(error: unknown): void
}

/** A bundle on the disk, and who answers for its pages. */
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

const folderPrefix = 'quire-preview-'
const maxOpen = 4
/** An unpacked bundle that nobody looks at is removed after this time. */
const idleMs = 10 * 60_000
const cacheBytes = 16 * 1024 ** 2
/** One unpacked bundle may take this share of the free space, apart from what the databases may need. */
const spaceShare = 0.25
const reserveBytes = 1024 ** 3
/** Nothing of the session may be used, and no page of the server may be opened in its place. */
const sandbox = 'sandbox allow-scripts allow-popups'
export const ended =
  'This address has expired, or the export was deleted. Open the site again from the page of its export.'
const busy = 'Several people look at other bundles now. Try again in a few minutes.'

/** What a request gets in place of a page. */
export class Refusal extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

/** Unpacks bundles to show their pages, one at a time, and removes those that nobody looks at. */
export function openUnpackedBundles(options: UnpackedBundlesOptions) {
  const { workFolder, now, onError } = options
  void sweepScratchFolders(workFolder, folderPrefix).catch(onError)
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
  { bundles, workFolder, onError }: UnpackedBundlesOptions,
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
