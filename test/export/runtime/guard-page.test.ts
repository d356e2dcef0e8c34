import { describe, expect, test } from 'vitest'
import { sealEnd } from '../../../server/export/rewrite/rewrite-page.ts'
import { freezePage, guardPage } from '../../../server/export/runtime/guard-page.ts'

const page = (body: string) => ({
  text: `<!doctype html><head>${sealEnd}</head><body>${body}</body>`,
  charset: 'utf-8',
})
/** Returns the body, and the part of the head after the seal. */
const parts = (text: string) => ({
  head: text.slice(text.indexOf(sealEnd) + sealEnd.length, text.indexOf('</head>')),
  body: text.slice(text.indexOf('<body>') + 6, text.indexOf('</body>')),
})
const call = '<script>__quire()</script>'

describe('a guarded page', () => {
  const cases: { fact: string; given: string; want: string }[] = [
    {
      fact: 'makes scripts inert, and adds a call that can start them',
      given: '<script defer src="a.js"></script>x',
      want: `<script type="text/quire" defer src="a.js"></script>${call}x`,
    },
    {
      fact: 'keeps the type of a module',
      given: "<script type='module'>import 'x'</script>",
      want: `<script type="text/quire" data-quire-type="module">import 'x'</script>${call}`,
    },
    {
      fact: 'leaves data and templates as they are',
      given: '<script type="application/json">{}</script><template><script>1</script></template>',
      want: '<script type="application/json">{}</script><template><script>1</script></template>',
    },
    {
      fact: 'makes the scripts of a declarative shadow tree inert, because browsers run them',
      given: '<template shadowrootmode="open"><script>1</script><template><script>2</script></template></template>',
      want: `<template shadowrootmode="open"><script type="text/quire">1</script>${call}<template><script>2</script></template></template>`,
    },
    {
      fact: 'loses the script that loads packed files, because guarded scripts never run on file://',
      given: '<script data-quire-packed="">document.write("x")</script><style data-quire-packed="">p {}</style>',
      want: '<style data-quire-packed="">p {}</style>',
    },
    {
      fact: 'preloads no modules, because file:// refuses them',
      given:
        '<link rel="modulepreload" href="a.js"><link rel="preload" as="script" href="b.js"><link rel="stylesheet" href="c.css">',
      want: '<link data-quire-rel="modulepreload" href="a.js"><link data-quire-rel="preload" as="script" href="b.js"><link rel="stylesheet" href="c.css">',
    },
  ]
  test.each(cases)('$fact', ({ given, want }) => {
    expect(parts(guardPage(page(given), 'a/b/index.html', '/a/b')).body).toBe(want)
  })

  test('contains its path and the path of the run-time, in ASCII', () => {
    const { head } = parts(guardPage(page(''), 'a/ü/index.html', '/a/%C3%BC"</script>'))
    expect(head).toContain('("/a/%C3%BC%22%3C/script%3E","../../_quire/runtime.js","/a/%C3%BC/")</script>')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the range is ASCII
    expect(head).toMatch(/^[\x00-\x7f]*$/)
  })

  test('starts its scripts anywhere on a host if it has no path', () => {
    const { head } = parts(guardPage(page(''), 'a/b.html', null))
    expect(head).toContain('(null,"../_quire/runtime.js","/a/")</script>')
  })

  test('does not change if it has no seal', () => {
    const raw = { text: '<script>1</script>', charset: 'utf-8' }
    expect(guardPage(raw, 'a.html', '/a.html')).toBe(raw.text)
  })
})

test('a frozen page has no scripts of the site', () => {
  const { head, body } = parts(freezePage(page('a<script src="a.js"></script>b<script>1</script>c'), 'x/y.html'))
  expect(body).toBe('abc')
  expect(head).toBe('<script src="../_quire/runtime.js" defer></script>')
})
