import { cpSync, globSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import ts from 'typescript'
import { listSources } from './manifest.ts'
import { removeUnneeded } from './prune.ts'

type ModuleFormat = 'module' | 'commonjs'

/**
 * Compiles the entries of the package and what they import to .js and .d.ts files in `output`.
 *
 * TypeScript chooses the module format by the nearest package.json. So it compiles a copy of the sources beside one.
 *
 * @param root the top folder of the repository
 * @param staging a folder for the copy, which is removed afterwards
 * @throws {Error} with the messages of the compiler
 */
export function compile(
  root: string,
  { output, staging, format }: { output: string; staging: string; format: ModuleFormat },
): void {
  try {
    for (const folder of ['generated', 'spec/package', 'server']) {
      mkdirSync(dirname(join(staging, folder)), { recursive: true })
      cpSync(join(root, folder), join(staging, folder), { recursive: true })
    }
    writeFileSync(join(staging, 'package.json'), JSON.stringify({ type: format }))
    symlinkSync(join(root, 'node_modules'), join(staging, 'node_modules'), 'dir')
    const sources = listSources(format)
    // Types of packages that have none.
    const declarations = globSync('server/**/*.d.ts', { cwd: staging }).map(file => join(staging, file))
    const files = [...sources.map(source => join(staging, `${source}.ts`)), ...declarations]
    const program = ts.createProgram(files, { ...compilerOptions, rootDir: staging, outDir: output })
    const problems = [...ts.getPreEmitDiagnostics(program), ...emit(program)]
    if (problems.length > 0) throw new Error(describe(problems, staging))
    removeUnneeded(output, sources)
    writeFileSync(join(output, 'package.json'), `${JSON.stringify({ type: format })}\n`)
  } finally {
    rmSync(staging, { recursive: true, force: true })
  }
}

/** Writes the code without comments, which are a tenth of the package. The declarations have what users read. */
function emit(program: ts.Program): readonly ts.Diagnostic[] {
  const flags = ts.EmitFlags.NoComments | ts.EmitFlags.NoNestedComments
  const withoutComments: ts.TransformerFactory<ts.SourceFile> = () => file => ts.setEmitFlags(file, flags)
  const transformers = { after: [withoutComments] }
  return program.emit(undefined, undefined, undefined, undefined, transformers).diagnostics
}

const compilerOptions: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2022,
  // Handlers call isWellFormed, which Node and browsers have since 2023.
  lib: ['lib.es2023.d.ts', 'lib.es2024.string.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  types: ['node'],
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  skipLibCheck: true,
  declaration: true,
  rewriteRelativeImportExtensions: true,
  newLine: ts.NewLineKind.LineFeed,
}

function describe(problems: readonly ts.Diagnostic[], folder: string): string {
  const host = {
    getCurrentDirectory: () => folder,
    getNewLine: () => '\n',
    getCanonicalFileName: (name: string) => name,
  }
  return `The package does not compile:\n${ts.formatDiagnostics(problems, host)}`
}
