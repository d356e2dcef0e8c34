import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { PackedSearch } from '../model/report.ts'
import { searchFolder } from '../model/search-files.ts'
import { readPageSections } from './page-sections.ts'
import { createSearchIndex } from './search-index.ts'

/** A written bundle and its pages. Hits with equal scores are shown in the order of the pages. */
export interface IndexTask {
  folder: string
  pages: { path: string; charset: string }[]
}

export interface IndexedBundle {
  /** Paths of the added files. */
  paths: string[]
  packed: PackedSearch
}

/** Writes the search index of a bundle into it, one page at a time. */
export function indexBundle({ folder, pages }: IndexTask): IndexedBundle {
  const paths: string[] = []
  let sizeBytes = 0
  function write(path: string, content: string) {
    paths.push(path)
    sizeBytes += Buffer.byteLength(content)
    writeFileSync(join(folder, path), content)
  }
  mkdirSync(join(folder, searchFolder), { recursive: true })
  const index = createSearchIndex()
  for (const { path, charset } of pages) {
    const raw = { text: readFileSync(join(folder, path), 'latin1'), charset }
    for (const { name, content } of index.add(path, readPageSections(raw))) write(`${searchFolder}/${name}`, content)
  }
  const { files, directory, terms } = index.finish()
  for (const { name, content } of files) write(`${searchFolder}/${name}`, content)
  const { sections } = directory
  return { paths, packed: { pages: pages.length, sections, terms, files: paths.length, sizeBytes } }
}
