import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * Fills CACHE/NAME with `make`, unless an earlier run filled it with the same recipe. Deletes the files of an incomplete run.
 *
 * @param recipe all inputs of the content: versions, settings
 * @return the folder, absolute if the cache folder is
 */
export async function makeOnce(
  cacheFolder: string,
  name: string,
  recipe: unknown,
  make: (folder: string) => Promise<void>,
): Promise<string> {
  const folder = join(cacheFolder, name)
  const stampFile = join(cacheFolder, `${name}.ready`)
  const stamp = createHash('sha256').update(JSON.stringify(recipe)).digest('hex')
  if (existsSync(stampFile) && (await readFile(stampFile, 'utf8')) === stamp) return folder
  process.stderr.write(`Preparing ${name} in ${folder} ...\n`)
  await rm(stampFile, { force: true })
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  await make(folder)
  await writeFile(stampFile, stamp)
  return folder
}
