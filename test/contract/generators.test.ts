import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'

// What strict parsers and client generators refuse, or turn into code that does not compile or hides a global.

interface PlainDocument {
  info: { title: string }
  servers: { url: string; variables?: object }[]
  components: Record<string, Record<string, unknown>>
}
const folders = ['', 'extensions'].map(name => join(import.meta.dirname, '../../generated', name))
const documents = folders.map(folder => ({
  folder,
  document: JSON.parse(readFileSync(join(folder, 'openapi.json'), 'utf8')) as PlainDocument,
}))

describe.each(documents)('$document.info.title', ({ folder, document }) => {
  test('the YAML is the same document as the JSON', () => {
    expect(parse(readFileSync(join(folder, 'openapi.yaml'), 'utf8'))).toEqual(document)
  })

  test('the server is a plain URL', () => {
    for (const { url, variables } of document.servers) {
      expect(URL.canParse(url)).toBe(true)
      expect(url).not.toMatch(/[{}]/)
      expect(variables).toBeUndefined()
    }
  })

  test('no schema has the name of a global, because clients have a type of that name', () => {
    const names = Object.keys(document.components.schemas ?? {})
    expect(names.length).toBeGreaterThan(5)
    expect(names.filter(name => name in globalThis)).toEqual([])
  })

  test('no description speaks of decisions as ours', () => {
    const texts: string[] = []
    collect(document)
    expect(texts.length).toBeGreaterThan(50)
    expect(texts.filter(text => /\bours\b/i.test(text))).toEqual([])

    function collect(node: unknown): void {
      if (node === null || typeof node !== 'object') return
      for (const [name, value] of Object.entries(node)) {
        if ((name === 'description' || name === 'summary') && typeof value === 'string') texts.push(value)
        else if (name !== 'x-decision') collect(value)
      }
    }
  })
})
