import { join } from 'node:path'
import type { StaticServerOptions } from '../export/static-server.ts'
import { makeNpmProject, type NpmProject } from './npm-site.ts'
import type { GallerySite } from './site.ts'

/** A site that npm builds from a project. */
export interface BuiltSite extends Omit<GallerySite, 'prepare'> {
  project(cacheFolder: string): Promise<NpmProject>
  /** The folder of the project with the built site. */
  out: string
  habits?: StaticServerOptions
  /** Paths of all pages, where scripts make the links. */
  pages?: readonly string[]
  /** Arguments for node, run in the folder of the project, that serve the site; absent = a static server serves it. */
  serve?: (port: number) => string[]
}

export function builtSite({ project, out, habits, pages, serve, ...site }: BuiltSite): GallerySite {
  return {
    ...site,
    async prepare(cacheFolder) {
      const folder = await makeNpmProject(cacheFolder, site.name, await project(cacheFolder))
      if (serve) return { folder, command: port => ({ program: process.execPath, args: serve(port) }) }
      return { folder: join(folder, out), ...(habits ? { habits } : {}), ...(pages ? { pages } : {}) }
    },
  }
}

/** Maps documents to the files of a project: `path` and `text` make the name and the content. */
export function toFiles<T>(
  items: readonly T[],
  path: (item: T) => string,
  text: (item: T) => string,
): Record<string, string> {
  return Object.fromEntries(items.map(item => [path(item), text(item)]))
}
