import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, extname, join } from 'node:path'
import ts from 'typescript'
import { removeNpx } from './commands-without-npx.ts'

/**
 * Compiles the program to a folder that runs without the sources: every .ts file of server/ and generated/ becomes a .js file, and
 * the files that it reads are copied.
 *
 * @param root the top folder of the repository, with generated/ up to date
 * @param folder is replaced
 * @throws {Error} if a source has a syntax error
 */
export async function buildProduct(root: string, folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true })
  for (const top of ['server', 'generated']) {
    const files = await readdir(join(root, top), { recursive: true, withFileTypes: true })
    for (const file of files.filter(entry => entry.isFile())) {
      await build(join(file.parentPath, file.name), join(folder, file.parentPath.slice(root.length), file.name))
    }
  }
  for (const name of shipped) await cp(join(root, name), join(folder, name))
}

/** The program reads its version, its license and the pages of its documentation from these. */
const shipped = ['package.json', 'LICENSE', 'README.md', 'CHANGELOG.md']

async function build(source: string, target: string): Promise<void> {
  if (source.endsWith('.d.ts') || source.endsWith('tsconfig.json')) return
  await mkdir(dirname(target), { recursive: true })
  if (extname(source) !== '.ts') return cp(source, target)
  const { outputText, diagnostics = [] } = ts.transpileModule(removeNpx(await readFile(source, 'utf8')), {
    fileName: source,
    reportDiagnostics: true,
    compilerOptions: {
      target: ts.ScriptTarget.ES2024,
      module: ts.ModuleKind.ESNext,
      verbatimModuleSyntax: true,
      rewriteRelativeImportExtensions: true,
    },
  })
  const [problem] = diagnostics
  if (problem) throw new Error(`${source}: ${ts.flattenDiagnosticMessageText(problem.messageText, '\n')}`)
  await writeFile(`${target.slice(0, -'.ts'.length)}.js`, outputText)
}
