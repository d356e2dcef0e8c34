import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { root } from './installed-package.ts'

type Setting = (typeof settings)[number]

/** The module settings of TypeScript that users have, and what the package.json beside their code says. */
export const settings = [
  { name: 'nodenext', file: 'main.mts', type: 'module', options: { module: 'nodenext' } },
  { name: 'nodenext, CommonJS', file: 'main.cts', type: 'commonjs', options: { module: 'nodenext' } },
  { name: 'node16, CommonJS', file: 'main.ts', type: 'commonjs', options: { module: 'node16' } },
  { name: 'bundler', file: 'main.ts', type: 'module', options: { module: 'esnext', moduleResolution: 'bundler' } },
  {
    name: 'commonjs, node10',
    file: 'main.ts',
    type: 'commonjs',
    options: { module: 'commonjs', moduleResolution: 'node10' },
  },
]

/**
 * Compiles a program of `fixtures/` that uses the package, strictly and without skipLibCheck, with each setting. One process does all:
 * each further setting takes half the time of the first.
 *
 * @param folder has the package in its node_modules
 * @returns the compiled file for each setting
 * @throws {Error} with the messages of the compiler
 */
export async function compileConsumer(
  folder: string,
  source: 'consumer' | 'own-server',
  all: readonly Setting[] = settings,
): Promise<Map<Setting, string>> {
  const files = new Map<Setting, string>()
  for (const setting of all) files.set(setting, prepare(join(folder, `${source}-${files.size}`), source, setting))
  const compiler = join(root, 'node_modules/typescript/bin/tsc')
  const folders = [...files.values()].map(file => join(file, '..'))
  await promisify(execFile)(process.execPath, [compiler, '--build', ...folders]).catch(error => {
    throw new Error(error.stdout)
  })
  return files
}

/** Writes a program and how it is compiled to a new folder. Returns the file that the compiler will write. */
function prepare(folder: string, source: string, { file, type, options }: Setting): string {
  mkdirSync(folder)
  writeFileSync(join(folder, file), readFileSync(join(import.meta.dirname, `fixtures/${source}.ts.txt`)))
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ type }))
  const compilerOptions = {
    ...options,
    target: 'es2022',
    lib: ['es2023', 'dom'],
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    esModuleInterop: true,
    // Only the declarations of TypeScript itself are not checked.
    skipDefaultLibCheck: true,
    types: ['node'],
    typeRoots: [join(root, 'node_modules/@types')],
  }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: [file] }))
  return join(folder, file.replace(/ts$/, 'js'))
}
