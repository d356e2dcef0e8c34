import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Document } from './requests.ts'

/** The folder of the documents. */
export const generated = join(import.meta.dirname, '..', 'generated')

/** Reads both documents as one, because Prism serves one. */
export function readBothDocuments(): Document {
  const first = read('openapi.json')
  const second = read('extensions/openapi.json')
  const { components, paths } = renameDifferent(second, first)
  const kinds = Object.keys({ ...first.components, ...components })
  return {
    ...first,
    paths: { ...first.paths, ...paths },
    components: Object.fromEntries(
      kinds.map(kind => [kind, { ...components[kind], ...first.components[kind] }]),
    ) as Document['components'],
  }
}

/** Writes a document for Prism. Returns its file, and a function that deletes it. */
export function writeForPrism(document: Document): { file: string; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), 'quire-mock-'))
  const file = join(folder, 'openapi.json')
  writeFileSync(file, JSON.stringify(document))
  return { file, remove: () => rmSync(folder, { recursive: true, force: true }) }
}

/** Gives components a longer name that have a name of the other document but another content. */
function renameDifferent(document: Document, other: Document): Document {
  let text = JSON.stringify(document)
  for (const [kind, named] of Object.entries(document.components)) {
    if (kind === 'securitySchemes') continue
    for (const [name, value] of Object.entries(named)) {
      const isOther = other.components[kind]?.[name] !== undefined
      if (!isOther || JSON.stringify(other.components[kind]?.[name]) === JSON.stringify(value)) continue
      text = text.replaceAll(`"#/components/${kind}/${name}"`, `"#/components/${kind}/${name}OfExtensions"`)
      text = text.replace(`"${name}":${JSON.stringify(value)}`, `"${name}OfExtensions":${JSON.stringify(value)}`)
    }
  }
  return JSON.parse(text) as Document
}

function read(name: string): Document {
  return JSON.parse(readFileSync(join(generated, name), 'utf8')) as Document
}
