import { cp, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { dereferenceDocument } from '../generate/dereference.ts'
import type { Document } from '../generate/document.ts'
import { compile } from './compile.ts'
import { createManifest } from './manifest.ts'

/**
 * Writes the files of the package for integrators to a folder.
 *
 * @param root the top folder of the repository, with generated/ up to date
 * @param folder empty or missing
 * @throws {Error} if the sources do not compile
 */
export async function buildPackage(root: string, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true })
  const staging = join(folder, '..', '.quire-spec-sources')
  for (const [name, format] of [
    ['esm', 'module'],
    ['cjs', 'commonjs'],
  ] as const) {
    compile(root, { output: join(folder, name), staging, format })
  }
  for (const [from, to] of copied) await cp(join(root, from), join(folder, to), { recursive: true })
  const document = JSON.parse(await readFile(join(root, 'generated/openapi.json'), 'utf8')) as Document
  // Only tools read these two, and their indentation would be 14 KB of the tarball.
  const plain = JSON.stringify(await dereferenceDocument(withoutCodes(document)))
  await writeFile(join(folder, 'openapi.dereferenced.json'), plain)
  const extensions = JSON.parse(await readFile(join(root, 'generated/extensions/openapi.json'), 'utf8'))
  await mkdir(join(folder, 'extensions'))
  await writeFile(join(folder, 'extensions/openapi.json'), JSON.stringify(extensions))
  const manifest = createManifest(JSON.parse(await readFile(join(root, 'package.json'), 'utf8')))
  await writeJson(join(folder, 'package.json'), manifest)
}

/** Removes the tables of codes, which would be repeated at each error. */
function withoutCodes(document: Document): Document {
  const schemas = Object.entries(document.components.schemas ?? {}).map(([name, schema]) => {
    const { 'x-codes': _, ...rest } = schema as Record<string, unknown>
    return [name, rest]
  })
  return { ...document, components: { ...document.components, schemas: Object.fromEntries(schemas) } }
}

const copied = [
  ['LICENSE', 'LICENSE'],
  ['spec/package/README.md', 'README.md'],
  ['spec/rules.yaml', 'lint-rules.yaml'],
  ['spec/workflows', 'workflows'],
  ['spec/package/conformance/quire-conformance.mjs', 'quire-conformance.mjs'],
  ['spec/package/mock-server/quire-mock.mjs', 'quire-mock.mjs'],
  ['spec/package/report/quire-report.mjs', 'quire-report.mjs'],
  ['generated/openapi.json', 'openapi.json'],
  ['generated/openapi.yaml', 'openapi.yaml'],
] as const

function writeJson(file: string, value: object): Promise<void> {
  return writeFile(file, `${JSON.stringify(value, undefined, 2)}\n`)
}
