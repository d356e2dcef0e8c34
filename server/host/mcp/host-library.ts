import { join } from 'node:path'
import type { HostFolder } from '../versions/host-folder.ts'
import { filesFolder } from '../versions/version.ts'
import { type DocsReader, openDocsReader } from './docs-reader.ts'
import type { DocsLibrary } from './docs-server.ts'

/** Shows the versions of a host to agents. */
export function createHostLibrary(
  folder: Pick<HostFolder, 'list' | 'pathOf'>,
  current: () => string | null,
): Pick<DocsLibrary, 'versions'> {
  const readers = new Map<string, DocsReader>()
  return {
    async versions() {
      const all = await folder.list()
      const ids = new Set(all.map(({ id }) => id))
      for (const id of readers.keys()) if (!ids.has(id)) readers.delete(id)
      all.sort((a, b) => Number(b.id === current()) - Number(a.id === current()))
      return all.map(({ id, label, domain }) => {
        const reader = readers.get(id) ?? openDocsReader(join(folder.pathOf(id), filesFolder))
        readers.set(id, reader)
        return { id, label, domain, reader }
      })
    },
  }
}
