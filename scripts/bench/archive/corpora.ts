import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { listFiles } from '../export/markdown.ts'
import { Random } from '../visitors/random.ts'

const smallFiles = 739
const smallestBytes = 500
const largestBytes = 16_000

/**
 * Cuts the text files of a folder into 739 files of 0.5 to 16 kB, small ones more often than large ones. The same text
 * gives the same files.
 */
export async function writeSmallFiles(from: string, folder: string): Promise<void> {
  const texts = await Promise.all(listFiles(from, '.txt').map(path => readFile(join(from, path))))
  const text = Buffer.concat(texts)
  const random = new Random(1)
  await mkdir(folder, { recursive: true })
  let at = 0
  for (let index = 0; index < smallFiles; index += 1) {
    const length = Math.floor(smallestBytes * (largestBytes / smallestBytes) ** random.next())
    if (at + length > text.length) at = 0
    await writeFile(join(folder, `${String(index).padStart(3, '0')}.txt`), text.subarray(at, at + length))
    at += length
  }
}
