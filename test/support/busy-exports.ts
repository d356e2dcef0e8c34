import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * Returns NODE_OPTIONS that make the process of each export compute for ever, one second after its start. No file of a site is known to
 * do that, so the tests do it themselves.
 */
export async function keepExportsBusy(folder: string): Promise<string> {
  const file = join(folder, 'busy.mjs')
  await writeFile(file, "if (process.argv[1]?.includes('export-process')) setTimeout(() => { for (;;); }, 1000)\n")
  return `--import=${file}`
}
