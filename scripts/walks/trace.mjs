// Loaded with `node --import`: notes every function of server/ that a process and its threads enter, in order. Each thread writes its
// list to a file in the folder QUIRE_WALK, one line a call: file:name:line.
import { writeFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { threadId } from 'node:worker_threads'
import ts from 'typescript'

const root = pathToFileURL(join(import.meta.dirname, '../..')).href
/** More calls are not noted. */
const maxCalls = 3_000_000
const names = []
const calls = []

globalThis.noteCall = id => {
  if (calls.length < maxCalls) calls.push(id)
}

registerHooks({
  load(url, context, next) {
    const loaded = next(url, context)
    if (!url.startsWith(`${root}/server/`) || !url.endsWith('.ts')) return loaded
    return { ...loaded, source: noteFunctions(String(loaded.source), url.slice(root.length + 1)) }
  },
})

process.on('exit', () => {
  const lines = calls.map(id => names[id]).join('\n')
  writeFileSync(join(process.env.QUIRE_WALK, `${process.pid}-${threadId}`), lines)
})

/** Adds a call of `noteCall` to the start of each function. Constructors stay: theirs would stand before `super`. */
function noteFunctions(source, file) {
  const parsed = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true)
  const insertions = []
  const visit = node => {
    if (node.body && ts.isFunctionLike(node) && !ts.isConstructorDeclaration(node)) {
      const name = node.name?.getText() ?? node.parent?.name?.getText() ?? 'function'
      const line = parsed.getLineAndCharacterOfPosition(node.getStart()).line + 1
      const id = names.push(`${file}:${name}:${line}`) - 1
      if (ts.isBlock(node.body)) insertions.push([node.body.getStart() + 1, `noteCall(${id});`])
      else insertions.push([node.body.getStart(), `(noteCall(${id}), `], [node.body.getEnd(), ')'])
    }
    ts.forEachChild(node, visit)
  }
  visit(parsed)
  // From the end, so that the places before stay right.
  return insertions
    .sort(([a], [b]) => b - a)
    .reduce((text, [at, added]) => text.slice(0, at) + added + text.slice(at), source)
}
