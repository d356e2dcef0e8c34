import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { pathToFileURL } from 'node:url'

const root = join(import.meta.dirname, '../..')

export interface PackageProgram {
  /** Has the program and the documents, as the folder of the package. */
  folder: string
  file: string
  remove(): void
}

/** Writes a program as it is in the package, but on the modules of the repository. */
export function writePackageProgram(source: string): PackageProgram {
  const folder = mkdtempSync(join(tmpdir(), 'quire-program-'))
  const file = join(folder, basename(source))
  const toModule = (path: string) => `'${pathToFileURL(join(root, `${path}.ts`)).href}'`
  const text = readFileSync(join(root, source), 'utf8')
  writeFileSync(
    file,
    text.replaceAll(/'\.\/esm\/(.*)\.js'/g, (_, path: string) => toModule(path)),
  )
  for (const name of ['openapi.json', 'openapi.yaml', 'extensions/openapi.json']) {
    cpSync(join(root, 'generated', name), join(folder, name))
  }
  return { folder, file, remove: () => rmSync(folder, { recursive: true, force: true }) }
}
