import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'

const root = join(import.meta.dirname, '../..')

/** The paths of all TypeScript files below server/, from the top folder, sorted. */
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
  visitAll(ts.createSourceFile(path, readFileSync(join(root, path), 'utf8'), ts.ScriptTarget.Latest, true))
}

/** The names of the threads that a source file starts, as `startThread` takes them. */
export function listThreads(path: string): string[] {
  const names: string[] = []
  visitNodes(path, node => {
    if (!ts.isCallExpression(node) || node.expression.getText() !== 'startThread') return
    const name = node.arguments[0]
    names.push(name && ts.isStringLiteral(name) ? name.text : `not a literal: ${node.getText()}`)
  })
  return names
}
