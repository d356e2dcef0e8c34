import { expect, test } from 'vitest'
import { readFileNeeds, type TextFile } from '../../../server/export/crawl/file-needs.ts'

const read = (kind: TextFile['kind'], text: string, isOwn = true) => {
  const { named, guesses, script } = readFileNeeds({ kind, text, url: new URL('https://a.example/css/app.x'), isOwn })
  return { named: named.map(({ url, role }) => `${role} ${url.href}`), guesses: [...guesses], script }
}

test('a style sheet names further style sheets, pictures and fonts, but no fragments', () => {
  const css = '@import "b.css"; a { background: url(../1.png) } b { mask: url(#part) } c { fill: url("http://[") }'
  expect(read('stylesheet', css)).toEqual({
    named: ['stylesheet https://a.example/css/b.css', 'asset https://a.example/1.png'],
    guesses: [],
    script: [],
  })
})

test('a manifest names its icons', () => {
  const manifest = JSON.stringify({ start_url: '/', icons: [{ src: 'icon.png' }] })
  expect(read('manifest', manifest).named).toEqual(['asset https://a.example/css/icon.png'])
})

test('a script needs its modules, and other file names in it are guesses', () => {
  const text = 'import "./part.js"; import "library"; load("data/list.json")'
  const { named, guesses, script } = read('script', text)
  expect([named, guesses.includes('data/list.json')]).toEqual([[], true])
  expect(script).toContainEqual({ kind: 'name', name: 'library' })
})

test('addresses in a script of another host do not count as loaded by scripts of the page', () => {
  const text = 'import "./part.js"; load("https://b.example/more.js")'
  expect(read('script', text).script).toContainEqual({ kind: 'scripted', url: 'https://b.example/more.js' })
  const foreign = read('script', text, false).script
  expect(foreign).toContainEqual({ kind: 'file', url: 'https://a.example/css/part.js' })
  expect(foreign.filter(({ kind }) => kind === 'scripted')).toEqual([])
})
