import { cp, mkdir, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { makeOnce } from '../export/ready.ts'
import { runTool } from '../export/run-tool.ts'
import type { FolderSource, GallerySite } from './site.ts'

/** The manual in a Debian package. */
export interface DebianManual extends Omit<GallerySite, 'prepare'> {
  /** The package, and those with the files that its links lead to. */
  packages: string[]
  /** The folder with the manual in the package. */
  folder: string
  /** Selects the files to serve by their path, where the manual has more than some hundred pages; absent = all. */
  keep?: (path: string) => boolean
  habits?: FolderSource['habits']
}

/** Makes a site of a manual. The package is unpacked into the cache folder, not installed. */
export function debianSite({
  packages,
  folder: inside,
  keep = () => true,
  habits,
  ...site
}: DebianManual): GallerySite {
  return {
    ...site,
    async prepare(cacheFolder) {
      const recipe = [packages, inside, String(keep)]
      const folder = await makeOnce(cacheFolder, `gallery-${site.name}`, recipe, async folder => {
        const unpacked = await unpackDebian(folder, packages)
        await copyFiles(join(unpacked, inside), join(folder, 'site'), keep)
        await rm(unpacked, { recursive: true })
      })
      return { folder: join(folder, 'site'), ...(habits ? { habits } : {}) }
    },
  }
}

/** Downloads Debian packages and unpacks them to FOLDER/.unpacked, which is returned. */
export async function unpackDebian(folder: string, packages: readonly string[]): Promise<string> {
  const downloads = join(folder, '.downloads')
  const unpacked = join(folder, '.unpacked')
  await mkdir(downloads, { recursive: true })
  // By default, apt-get downloads as a user that cannot write to a folder of root.
  const asRoot = ['-o', 'APT::Sandbox::User=root']
  await runTool('apt-get', [...asRoot, 'download', ...packages], { folder: downloads, log: 'apt-get.log' })
  for (const file of (await readdir(downloads)).filter(name => name.endsWith('.deb')))
    await runTool('dpkg', ['-x', join(downloads, file), unpacked], { folder: downloads, log: 'dpkg.log' })
  await rm(downloads, { recursive: true })
  return unpacked
}

/** Copies files, and those behind links. Links that lead nowhere are left out, as a server would answer 404. */
async function copyFiles(from: string, into: string, keep: (path: string) => boolean, path = ''): Promise<void> {
  for (const name of await readdir(join(from, path))) {
    const inside = path === '' ? name : `${path}/${name}`
    const found = await stat(join(from, inside)).catch(() => undefined)
    if (found?.isDirectory()) await copyFiles(from, into, keep, inside)
    else if (found?.isFile() && keep(inside)) await cp(join(from, inside), join(into, inside), { dereference: true })
  }
}
