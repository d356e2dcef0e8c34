import { answerFetch } from './answer-fetch.ts'
import { answerRequests } from './answer-requests.ts'
import { answerWorkers } from './answer-workers.ts'
import { createClickFollower } from './follow-clicks.ts'
import type { PackedFile } from './packed-file.ts'
import { createPageFiles } from './page-files.ts'

/**
 * Runs before the site's scripts, in pages on file://. Browsers refuse there what scripts request. This script answers requests
 * for files of the bundle from copies in scripts, which browsers load.
 *
 * @param packed files by the name of their scripts.
 * @param start the script that runs first in a worker.
 */
export default function servePacked(packed: Record<string, PackedFile>, start: string): void {
  const own = document.currentScript
  if (!(own instanceof HTMLScriptElement) || location.protocol !== 'file:') return
  const root = new URL('..', own.src).href
  const files = { ...createPageFiles(root, packed), onOther: createClickFollower() }
  answerFetch(files)
  answerRequests(files)
  answerWorkers(files, { root, packed, start })
}
