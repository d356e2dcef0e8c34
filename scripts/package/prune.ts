import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import ts from 'typescript'

/**
 * Removes the compiled files that none of these sources needs. The compiler also writes those that only a type of an inner module names, such as
 * half of the server for the dependencies of a handler.
 *
 * @throws {Error} if a file that is needed is missing.
 */
export function removeUnneeded(folder: string, sources: readonly string[]): void {
  const needed = new Set<string>()
  for (const source of sources) {
    for (const ending of ['.js', '.d.ts']) addNeeded(join(folder, `${source}${ending}`), needed)
  }
  for (const file of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(file.parentPath, file.name)
    if (file.isFile() && !needed.has(path)) rmSync(path)
  }
}

/** Code needs the code that it imports, and declarations need declarations. */
function addNeeded(file: string, needed: Set<string>): void {
  if (needed.has(file)) return
  if (!existsSync(file)) throw new Error(`The package needs ${file}, which the compiler did not write.`)
  needed.add(file)
  const ending = file.endsWith('.d.ts') ? '.d.ts' : '.js'
  const { importedFiles } = ts.preProcessFile(readFileSync(file, 'utf8'), true, true)
  for (const { fileName } of importedFiles.filter(imported => imported.fileName.startsWith('.'))) {
    addNeeded(join(dirname(file), fileName.replace(/\.[jt]s$/, ending)), needed)
  }
}
