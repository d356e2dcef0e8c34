import { expect, test } from 'vitest'
import { createModuleNames, importMapEntries } from '../../../server/web/javascript/import-map.ts'

test.each<[string, string[]]>([
  ['{"imports":{"a":"/a.js","b/":"/b/"}}', ['a /a.js', 'b/ /b/']],
  ['{"scopes":{"/x/":{"c":"./c.js"}},"imports":{"a":"/a.js"}}', ['a /a.js', 'c ./c.js']],
  ['{"imports":{"a":null,"b":3}}', []],
  ['{"imports":["a"]}', []],
  ['not a map', []],
  ['[1]', []],
])('%s', (text, entries) => {
  expect(importMapEntries(text).map(({ name, address }) => `${name} ${address}`)).toEqual(entries)
})

const base = new URL('https://docs.example.com/guide/')

test.each(['map first', 'names first'])(
  'requests the addresses in maps, and imported names below a prefix in a map, %s',
  order => {
    const needed: string[] = []
    const names = createModuleNames(url => needed.push(url.href))
    const steps = [
      () => names.addMap('{"imports":{"a":"./a.js","lib/":"https://cdn.example/lib@1/"}}', base),
      () => {
        for (const name of ['lib/x.js', 'lib/../../etc', 'other', 'library/y.js']) names.addName(name)
      },
    ]
    for (const step of order === 'map first' ? steps : steps.reverse()) step()
    expect(needed.sort()).toEqual(['https://cdn.example/lib@1/x.js', 'https://docs.example.com/guide/a.js'])
  },
)
