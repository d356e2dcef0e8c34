import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ApiDocument } from '../../server/docs/api-document.ts'
import { buildDocumentation, type DocumentationSources } from '../../server/docs/documentation.ts'
import { writtenPages } from '../../server/docs/pages.ts'

export const repository = join(import.meta.dirname, '..', '..')

const readText = (file: string) => readFileSync(join(repository, file), 'utf8')

/** The sources of the documentation that ships with Quire. */
export const sources: DocumentationSources = {
  readText,
  document: JSON.parse(readText('generated/openapi.json')) as ApiDocument,
  extensions: JSON.parse(readText('generated/extensions/openapi.json')) as ApiDocument,
}

export const { files, writeMissingPage } = buildDocumentation(sources)

/** The Markdown of every written page, by file. */
export const texts = new Map(writtenPages.map(({ file }) => [file as string, readText(file)]))
