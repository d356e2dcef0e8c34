import { Tokenizer } from 'htmlparser2'
import { describe, expect, test } from 'vitest'
import { scanHtml } from '../../../server/web/html/html-scan.ts'
import fc from '../../support/fast-check.ts'

/** Scans HTML and returns the reported parts, written as <tag a="1">, text, </tag> and {tag: raw text}. */
function read(html: string): string[] {
  const seen: string[] = []
  let textEnd = -1
  scanHtml(html, {
    tag({ name, attributes }) {
      const values = attributes.map(
        ({ name, start, end, quote }) => ` ${name}=${quote}${html.slice(start, end)}${quote}`,
      )
      seen.push(`<${name}${values.join('')}>`)
      textEnd = -1
    },
    closeTag(name) {
      seen.push(`</${name}>`)
      textEnd = -1
    },
    text(start, end) {
      if (start === textEnd) seen.push(`${seen.pop()}${html.slice(start, end)}`)
      else seen.push(html.slice(start, end))
      textEnd = end
    },
    rawText(tag, start, end) {
      seen.push(`{${tag.name}: ${html.slice(start, end)}}`)
      textEnd = -1
    },
  })
  return seen
}

describe('reads HTML as the tokenizer of a browser does', () => {
  test.each([
    ['a tag', '<A HREF="x" id=y>t</A >', ['<a href="x" id=y>', 't', '</a>']],
    ['attributes without a value or with unusual names', `<p a b= c =d e='f"' "g>`, [`<p a= b=c =d= e='f"' "g=>`]],
    ['an unquoted value with slashes and quotes', `<a href=/b/ title=it's>`, [`<a href=/b/ title=it's>`]],
    ['only the first attribute with the same name', '<p id=1 ID=2>', ['<p id=1>']],
    ['values with `>`', '<p a="<b>" c=\'>\'>', ['<p a="<b>" c=\'>\'>']],
    ['no space between attributes', '<p a="1"b="2">', ['<p a="1" b="2">']],
    ['`<` that begins no tag', 'a < b <3 </> c', ['a < b <3 ', ' c']],
    ['comments', 'a<!-- <p> -->b<!-->c<!--->d<!-- x --!>e<!-- - -- -->f', ['a', 'b', 'c', 'd', 'e', 'f']],
    ['declarations and bogus comments', '<!DOCTYPE html><?php <p> ?>a</ b>c<!x>', [' ?>a', 'c']],
    ['CDATA is a comment in HTML', '<![CDATA[a>b]]>c', ['b]]>c']],
    ['CDATA is text in svg', '<svg><![CDATA[<p>]]></svg>', ['<svg>', '</svg>']],
    ['a script', '<script>if (a < b) "</p>"</script >x', ['<script>', '{script: if (a < b) "</p>"}', '</script>', 'x']],
    [
      'an end tag with a longer name does not end a script',
      '<script></scripts></script>',
      ['<script>', '{script: </scripts>}', '</script>'],
    ],
    [
      'a script in a comment in a script',
      '<script><!-- <script> </script> --> </script>x',
      ['<script>', '{script: <!-- <script> </script> --> }', '</script>', 'x'],
    ],
    [
      'a comment in a script that ends at once',
      '<script><!--></script>x',
      ['<script>', '{script: <!-->}', '</script>', 'x'],
    ],
    ['a style', '<style>a>b{}</STYLE>', ['<style>', '{style: a>b{}}', '</style>']],
    [
      'elements that contain only text',
      '<title><b></title><textarea></p></textarea>',
      ['<title>', '<b>', '</title>', '<textarea>', '</p>', '</textarea>'],
    ],
    ['plaintext', '<plaintext><p></plaintext>', ['<plaintext>', '<p></plaintext>']],
    [
      'script and style in svg',
      '<svg><style>a<!-- --></style><script/><g/></svg><script>1</script>',
      [
        '<svg>',
        '<style>',
        '{style: a<!-- -->}',
        '</style>',
        '<script>',
        '<g>',
        '</svg>',
        '<script>',
        '{script: 1}',
        '</script>',
      ],
    ],
    ['a script without an end tag', '<script>a<p>', ['<script>', '{script: a<p>}']],
    ['a tag without an end', 'a<p b="c>d', ['a']],
    ['an end tag with attributes', '</p a=">">b', ['</p>', 'b']],
  ])('%s', (_, html, seen) => {
    expect(read(html)).toEqual(seen)
  })
})

test('reports correct positions, in any text', () => {
  const piece = fc.constantFrom(
    ...[
      '<',
      '>',
      '/',
      '"',
      "'",
      '=',
      ' ',
      '\n',
      '-',
      '!',
      '?',
      'a',
      'B',
      '<p',
      '</p>',
      '<!--',
      '-->',
      '<script>',
      '</script>',
      '<svg>',
      '</svg>',
      '<title>',
      '</title>',
      '<a href="',
      'é',
    ],
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 60 }), pieces => {
      const html = pieces.join('')
      let last = 0
      scanHtml(html, {
        tag({ start, end, nameEnd, source, attributes }) {
          expect(start).toBeGreaterThanOrEqual(last)
          expect(source).toBe(html.slice(start, end))
          expect([html[start], html[end - 1]]).toEqual(['<', '>'])
          for (const attribute of attributes) {
            expect(attribute.nameStart).toBeGreaterThanOrEqual(nameEnd)
            expect(attribute.outerEnd).toBeLessThan(end)
            expect(attribute.start).toBeLessThanOrEqual(attribute.end)
          }
          last = end
        },
        closeTag(name, start) {
          expect(html.slice(start, start + 2 + name.length).toLowerCase()).toBe(`</${name}`)
          last = start
        },
        text(start, end) {
          expect(end).toBeGreaterThan(start)
          last = end
        },
      })
    }),
  )
})

test('agrees with htmlparser2 about well-formed text', () => {
  const name = fc.constantFrom('p', 'div', 'a', 'IMG', 'x-y', 'td')
  const value = fc.constantFrom('', '="x y"', "='<b>'", '=bare', ' = "1"')
  const attribute = fc
    .tuple(fc.constantFrom('href', 'ID', 'data-x', 'class', 'disabled'), value)
    .map(parts => parts.join(''))
  const open = fc
    .tuple(name, fc.array(attribute, { maxLength: 4 }), fc.constantFrom('>', ' >', '/>', ' />'))
    .map(
      ([name, attributes, end]) =>
        `<${[name, ...attributes].join(' ')}${end.startsWith('/') && attributes.length > 0 ? ` ${end}` : end}`,
    )
  const close = name.map(name => `</${name}>`)
  const text = fc.constantFrom('words ', '1 < 2 ', 'a & b', '\n')
  const whole = fc.constantFrom(
    '<!-- <p> -->',
    '<script>a</script>',
    '<style>b{}</style>',
    '<title>c</title>',
    '<!doctype html>',
  )
  fc.assert(
    fc.property(fc.array(fc.oneof(open, close, text, whole), { maxLength: 40 }), pieces => {
      const html = pieces.join('')
      const theirs: string[][] = []
      const lower = (start: number, end: number) => html.slice(start, end).toLowerCase()
      const ignore = () => {}
      const tokenizer = new Tokenizer(
        { decodeEntities: false },
        {
          onopentagname: (start, end) => theirs.push([lower(start, end)]),
          onattribname: (start, end) => theirs.at(-1)?.push(lower(start, end)),
          onclosetag: (start, end) => theirs.push(['/', lower(start, end)]),
          ...{ onattribdata: ignore, onattribend: ignore, onattribentity: ignore, oncdata: ignore, oncomment: ignore },
          ...{ ondeclaration: ignore, onend: ignore, onopentagend: ignore, onprocessinginstruction: ignore },
          ...{ onselfclosingtag: ignore, ontext: ignore, ontextentity: ignore },
        },
      )
      tokenizer.write(html)
      tokenizer.end()
      const ours: string[][] = []
      scanHtml(html, {
        tag: ({ name, attributes }) => ours.push([name, ...attributes.map(({ name }) => name)]),
        closeTag: name => ours.push(['/', name]),
      })
      expect(ours).toEqual(theirs.map(each => [...new Set(each)]))
    }),
  )
})

test.each([
  ['<p>', true],
  ['<p/>', true],
  ['<p class="a" id=b>', true],
  ["<p\n class = 'a > b'\tid>", true],
  ['<p clasp="a">', false],
  ['<p is="a">', false],
  ['<p class="a" hidden>', false],
  ['<p id="a" =class="b">', false],
  ['<a class="a" href="b">', false],
])('%s has no attributes besides class and id: %s', (html, isPlain) => {
  const found: boolean[] = []
  scanHtml(`${html}<p title="a"><p>`, { tag: tag => found.push(tag.isPlain) })
  expect(found).toEqual([isPlain, false, true])
})
