import { join } from 'node:path'

/** Whether the name stays in its folder. All names that Quire gives do. */
export function isBundleName(fileName: string): boolean {
  return /^\w[\w.-]*$/.test(fileName)
}

/**
 * Returns the path of a bundle. The name comes from the database, which may be another's: a name that would lead out of the
 * folder becomes one that no file has, so the bundle is missing.
 */
export function bundlePath(folder: string, fileName: string): string {
  return join(
    folder,
    isBundleName(fileName) ? fileName : `not-a-bundle-${Buffer.from(fileName).toString('hex', 0, 32)}`,
  )
}
