import { isUtf8 } from 'node:buffer'
import { servePacked, startWorker } from '../../../generated/in-page.ts'
import { callScript } from '../../base/call-script.ts'
import type { PackedFile } from '../../in-page/packed/packed-file.ts'

/**
 * Returns the script that pages load on file:// before the site's scripts, when those scripts request files of the bundle.
 *
 * @param packed files by the name of their copies.
 */
export function packedFilesScript(packed: ReadonlyMap<string, PackedFile>): string {
  return `${callScript(servePacked, Object.fromEntries(packed), `${callScript(startWorker)}\n`)}\n`
}

/** Returns the script with the copy of a file. */
export function packedCopy(name: string, bytes: Buffer): string {
  const content = isUtf8(bytes) ? [name, bytes.toString()] : [name, null, bytes.toString('base64')]
  return `${callScript('__quirePacked', ...content)}\n`
}
