import { readdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import ts from 'typescript'

const root = join(import.meta.dirname, '../..')

/** Lists all TypeScript files in server/ by their paths from the top folder, sorted. */
export function listServerFiles(): string[] {
  return readdirSync(join(root, 'server'), { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.ts'))
    .map(name => `server/${name}`)
    .sort()
}

/** Calls `visit` for each node of a source file. */
export function visitNodes(path: string, visit: (node: ts.Node) => void): void {
  const visitAll = (node: ts.Node): void => {
    visit(node)
    node.forEachChild(visitAll)
  }
  visitAll(parse(path))
}

const parsed = new Map<string, ts.SourceFile>()

function parse(path: string): ts.SourceFile {
  const known = parsed.get(path)
  if (known) return known
  const text = readFileSync(join(root, path), 'utf8')
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true)
  parsed.set(path, source)
  return source
}

/** Lists the threads that a source file starts, by the names passed to `startThread` and `askThread`. */
export function listThreads(path: string): string[] {
  const names: string[] = []
  // It passes on the name that it gets.
  if (path === 'server/workers/ask-thread.ts') return names
  visitNodes(path, node => {
    if (!ts.isCallExpression(node) || !/^(?:start|ask)Thread$/.test(node.expression.getText())) return
    const name = node.arguments[0]
    names.push(name && ts.isStringLiteral(name) ? name.text : `not a literal: ${node.getText()}`)
  })
  return names
}

/** Lists the files that a source file imports, including type imports. */
export function listImports(path: string): string[] {
  const imports: string[] = []
  visitNodes(path, node => {
    if (!ts.isStringLiteral(node) || !node.text.startsWith('.')) return
    const { parent } = node
    const isImport =
      ts.isImportDeclaration(parent) ||
      ts.isExportDeclaration(parent) ||
      ts.isLiteralTypeNode(parent) ||
      (ts.isCallExpression(parent) && parent.expression.kind === ts.SyntaxKind.ImportKeyword)
    if (isImport) imports.push(posix.join(posix.dirname(path), node.text))
  })
  return imports
}

/** Lists all files that a source file reaches through imports and threads, directly or indirectly. */
export function listReached(entry: string): string[] {
  const reached = new Set([entry])
  for (const path of reached) {
    if (!path.endsWith('.ts')) continue
    for (const next of listImports(path)) reached.add(next)
    for (const name of listThreads(path)) reached.add(`server/${name}.ts`)
  }
  return [...reached].sort()
}
