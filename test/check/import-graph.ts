import { globSync, readFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import ts from 'typescript'
import { folderLayers, packageOwners, serverLayers } from '../../scripts/layers.ts'

export interface Source {
  /** Path from the top folder, with slashes. */
  file: string
  text: string
}

/** Reads all code of server/. */
export function readServer(root: string): Source[] {
  return globSync('server/**/*.{ts,mts,cts,js,mjs,cjs}', { cwd: root })
    .map(file => file.replaceAll('\\', '/'))
    .map(file => ({ file, text: readFileSync(join(root, file), 'utf8') }))
}

/**
 * Lists everything that a source names as a module: imports and exports of any form, import types, `require` and the like,
 * and relative addresses in `new URL(..., import.meta.url)`. The text is parsed, so no spelling hides an import.
 */
export function listSpecifiers({ file, text }: Source): string[] {
  const found: string[] = []
  const loaders = /^(require|require\.resolve|import\.meta\.resolve)$/
  const visit = (node: ts.Node): void => {
    if ((ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) && node.moduleSpecifier) {
      found.push(readText(node.moduleSpecifier))
    } else if (ts.isImportTypeNode(node))
      found.push(readText(ts.isLiteralTypeNode(node.argument) ? node.argument.literal : node))
    else if (ts.isExternalModuleReference(node)) found.push(readText(node.expression))
    else if (ts.isModuleDeclaration(node) && ts.isStringLiteral(node.name)) found.push(node.name.text)
    else if (ts.isCallExpression(node)) {
      const isImport = node.expression.kind === ts.SyntaxKind.ImportKeyword
      if (isImport || loaders.test(node.expression.getText())) found.push(readText(node.arguments[0]))
    } else if (ts.isNewExpression(node) && node.arguments?.[1]?.getText() === 'import.meta.url') {
      found.push(readText(node.arguments[0]))
    }
    ts.forEachChild(node, visit)
  }
  visit(ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true))
  return found
}

/** Returns the value of a literal. Anything else becomes a text that `judge` refuses. */
function readText(node: ts.Node | undefined): string {
  if (node === undefined) return ''
  return ts.isStringLiteralLike(node) ? node.text : `(${node.getText()})`
}

/** Lists the wrong imports of the sources, one sentence each. */
export function findWrongImports(sources: readonly Source[]): string[] {
  return sources.flatMap(source =>
    listSpecifiers(source).flatMap(specifier => {
      const reason = judge(source.file, specifier)
      return reason === undefined ? [] : [`${source.file} imports ${specifier}: ${reason}.`]
    }),
  )
}

function judge(file: string, specifier: string): string | undefined {
  if (!specifier.startsWith('.')) return judgePackage(file, specifier)
  const target = posix.normalize(posix.join(dirname(file), decodeURI(specifier)))
  if (target.startsWith('generated/'))
    return mayUseGenerated(file, target) ? undefined : 'it may not use generated code'
  if (!target.startsWith('server/')) return 'it is outside server/'
  const [from, to] = [file.split('/'), target.split('/')]
  const [top, other] = [from[1] ?? '', to[1] ?? '']
  if (top !== other) return isBelow(serverLayers, top, other) ? undefined : 'the layer is not below'
  const layers = folderLayers[top]
  if (!layers) return undefined
  const [inner, otherInner] = [from, to].map(path => (path.length > 3 ? (path[2] ?? '') : '.')) as [string, string]
  return inner === otherInner || isBelow(layers, inner, otherInner) ? undefined : `the layer of ${top}/ is not below`
}

function isBelow(layers: readonly (readonly string[])[], from: string, to: string): boolean {
  const levelOf = (name: string) => layers.findIndex(names => names.includes(name))
  return levelOf(from) !== -1 && levelOf(to) > levelOf(from)
}

/** In-page code and the chart library are texts for browsers. The types of the API are for HTTP and the operations. */
const generatedUsers: Readonly<Record<string, readonly string[]>> = {
  'generated/in-page.ts': ['analytics', 'dashboard', 'docs', 'export', 'web'],
  'generated/chart.ts': ['dashboard', 'commands/licenses'],
}

function mayUseGenerated(file: string, target: string): boolean {
  const users = generatedUsers[target] ?? ['http', 'operations']
  return users.some(user => file.startsWith(`server/${user}/`))
}

function judgePackage(file: string, specifier: string): string | undefined {
  if (specifier === 'node:sqlite') return 'the database is better-sqlite3'
  if (specifier === 'node:worker_threads') return undefined
  if (specifier.startsWith('node:')) return undefined
  const name = /^(?:@[^/]+\/)?[\w.-]+/.exec(specifier)?.[0]
  if (name === undefined) return 'it is not a literal'
  const owners = packageOwners[name.replace(/^puppeteer-core$/, 'puppeteer')]
  const isOwned = owners?.some(owner => file === `server/${owner}` || file.startsWith(`server/${owner}/`))
  return owners && !isOwned ? `only ${owners.join(', ')} may import it` : undefined
}

/** Lists the groups of files that import each other in a circle, types included. */
export function findCircles(sources: readonly Source[]): string[][] {
  const imports = new Map(
    sources.map(source => [
      source.file,
      listSpecifiers(source)
        .filter(specifier => specifier.startsWith('.'))
        .map(specifier => posix.normalize(posix.join(dirname(source.file), specifier))),
    ]),
  )
  // Removing files without imports or importers again and again leaves only files on circles or between them.
  for (let before = -1; before !== imports.size; ) {
    before = imports.size
    const imported = new Set([...imports.values()].flat())
    for (const [file, targets] of imports) {
      if (!imported.has(file) || !targets.some(target => imports.has(target))) imports.delete(file)
    }
  }
  return imports.size === 0 ? [] : [[...imports.keys()].sort()]
}

export interface LongFunction {
  file: string
  /** From the first to the last line of the function. */
  lines: number
}

/** Lists the functions with more lines than `maxLines`, with everything in them counted. */
export function findLongFunctions(sources: readonly Source[], maxLines: number): LongFunction[] {
  const found: LongFunction[] = []
  for (const { file, text } of sources) {
    const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true)
    const visit = (node: ts.Node): void => {
      if (ts.isFunctionLike(node) && 'body' in node && node.body) {
        const lineOf = (position: number) => source.getLineAndCharacterOfPosition(position).line
        const lines = lineOf(node.end) - lineOf(node.getStart()) + 1
        if (lines > maxLines) found.push({ file, lines })
      }
      ts.forEachChild(node, visit)
    }
    visit(source)
  }
  return found
}
