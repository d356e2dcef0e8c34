import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { LoginSecrets } from '../../web/login/login-secrets.ts'
import { ExportError } from '../model/export-error.ts'

/** Larger files are pictures, films and archives. */
const maxSearchedBytes = 32 * 1024 ** 2

/**
 * Searches a bundle for values of the recorded login. They are removed from what the site sends; scripts may still have written
 * one in another way.
 *
 * @throws {ExportError} with the name of the value, and never the value.
 */
export async function refuseSecrets(
  { folder, paths }: { folder: string; paths: readonly string[] },
  secrets: Pick<LoginSecrets, 'find'>,
): Promise<void> {
  for (const path of paths) {
    const inName = secrets.find(Buffer.from(path))
    const file = join(folder, path)
    const isSearched = inName === null && (await stat(file)).size <= maxSearchedBytes
    const name = isSearched ? secrets.find(await readFile(file)) : inName
    if (name === null) continue
    const place = inName === null ? `The file ${path}` : 'The name of a file'
    throw new ExportError(
      `${place} would contain ${name} of the recorded login, so no bundle is made. Exclude the page that uses it (--exclude).`,
      'login',
    )
  }
}
