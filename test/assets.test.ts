import { existsSync } from 'node:fs'
import ts from 'typescript'
import { expect, test } from 'vitest'
import { threads } from '../scripts/build-binary/packed-files.ts'
import { describeEngine, describeProgram, listEngineFiles } from '../server/assets.ts'
import { listReached, listServerFiles, listThreads, visitNodes } from './support/source-files.ts'

/** Lists the files with a node for which `matches` returns true. */
function findFiles(matches: (node: ts.Node) => boolean): string[] {
  return listServerFiles().filter(path => {
    let isFound = false
    visitNodes(path, node => {
      isFound ||= matches(node)
    })
    return isFound
  })
}

test('each thread that is started has a file and is in the single binary, and each file of a thread is started', () => {
  expect(listServerFiles().flatMap(listThreads).sort()).toEqual(threads)
  const readsItsData = (node: ts.Node) => ts.isImportSpecifier(node) && node.name.text === 'workerData'
  expect(findFiles(readsItsData)).toEqual(threads.map(name => `server/${name}.ts`))
})

test('only assets.ts reads the path of its file and starts threads', () => {
  const asksWhereItIs = (node: ts.Node) => ts.isMetaProperty(node) && node.getText() === 'import.meta'
  expect(findFiles(asksWhereItIs)).toEqual(['server/assets.ts'])
  const startsThread = (node: ts.Node) => ts.isNewExpression(node) && node.expression.getText() === 'Worker'
  expect(findFiles(startsThread)).toEqual(['server/assets.ts'])
})

test('the identity of the engine covers every file that an export imports', () => {
  const reached = listReached('server/export/export-site.ts')
  expect(reached).toContain('server/export/search/index-worker.ts')
  expect(reached).toContain('server/web/fetch/fetcher.ts')
  const files = new Set(listEngineFiles())
  expect(reached.filter(path => !files.has(path))).toEqual([])
  expect(files).toContain('package.json')
  expect(describeEngine()).toMatch(/^[0-9a-f]{64}$/)
})

test('the engine reads no shipped files, because its identity does not cover them', () => {
  const readsAssets = (path: string) => {
    let isFound = false
    visitNodes(path, node => {
      isFound ||= ts.isIdentifier(node) && ['readAsset', 'listAssets'].includes(node.text)
    })
    return isFound
  }
  expect(listReached('server/export/export-site.ts').filter(readsAssets)).toEqual([])
})

test('the programs that run confined import no other file', () => {
  for (const name of ['agent/session/relay', 'agent/session/demo-agent'] as const) {
    expect(listReached(`server/${name}.ts`)).toEqual([`server/${name}.ts`])
    expect(describeProgram(name).files.filter(file => !existsSync(file))).toEqual([])
  }
})
