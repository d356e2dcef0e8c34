import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { createJoinedNames } from '../../../server/export/crawl/joined-names.ts'

/** Encodes a short string in CBOR: a byte with the length, then the text. */
const counted = (text: string) => String.fromCharCode(0x60 + text.length) + text
const list = (words: string[]) => gzipSync(Buffer.from(words.map(word => `${counted(word)}\x19\x02`).join('')))

/** Adds the scripts and waits. Returns the files that were found and the number of failed requests. */
async function collect(files: Record<string, Buffer | string>, scripts: Record<string, string>) {
  const root = new URL('http://site.invalid/')
  const found = new Set<string>()
  let misses = 0
  const names = createJoinedNames(root, async url => {
    const body = files[url.pathname]
    if (body === undefined) {
      misses += 1
      return null
    }
    found.add(url.pathname)
    const script = scripts[url.pathname]
    if (script !== undefined) names.addScript(script, url)
    return { isData: script === undefined, read: async () => Buffer.from(body) }
  })
  for (const [path, text] of Object.entries(scripts))
    if (path.startsWith('/app/')) names.addScript(text, new URL(path, root))
  while (await names.resolve());
  return { found: [...found].sort(), misses }
}

const hash = (kind: string, index: number) => `${kind}_${(index * 7919 + 1_000_003).toString(16)}`

/** A search index of many files. A data file lists their names. */
function indexed(parts: number) {
  const words = Array.from({ length: parts }, (_, index) => hash('en', index))
  const chunks = Array.from({ length: Math.ceil(parts / 10) }, (_, index) => hash('ch', index))
  const files: Record<string, Buffer | string> = {
    '/find/find.js': 'x',
    '/find/entry.json': JSON.stringify({ version: '1.0', languages: { en: { hash: 'en_feed' } } }),
    '/find/meta.en_feed.idx': list([...words, ...chunks]),
    ...Object.fromEntries(words.map(word => [`/find/part/${word}.bin`, 'part'])),
    ...Object.fromEntries(chunks.map(word => [`/find/chunk/${word}.bin`, 'chunk'])),
  }
  const load =
    '`#{this.base}entry.json`; `#{b}meta.#{h}.idx`; `#{b}part/#{h}.bin`; this.base + "chunk/" + h + ".bin"'.replaceAll(
      '#',
      '$',
    )

  return {
    files,
    scripts: {
      '/app/ui.js': 'import(`#{o}find.js`)'.replace('#', '$'),
      '/app/menu.js': 'start({at:"/find/"})',
      '/find/find.js': load,
    },
  }
}

test('finds the files of an index that are listed in a data file, which scripts name', async () => {
  const { files, scripts } = indexed(40)
  expect((await collect(files, scripts)).found).toEqual(Object.keys(files).sort())
})

test('few requests fail', async () => {
  const { files, scripts } = indexed(2000)
  const { found, misses } = await collect(files, scripts)
  expect(found).toEqual(Object.keys(files).sort())
  expect(misses).toBeLessThan(250)
})

test('the number of requests is limited if none of the files exists', async () => {
  const tails = Array.from({ length: 500 }, (_, index) => `\`\${x}file${index}.json\``).join(';')
  const folders = Array.from({ length: 500 }, (_, index) => `"/folder${index}/"`).join(';')
  const { misses } = await collect({}, { '/app/a.js': tails, '/app/b.js': folders })
  expect(misses).toBeLessThan(1000)
})

test('finds the parts of a menu that are named after pages or numbered', async () => {
  const row = (name: string, part: string | null) => `[ "${name} x", "${name}.html#top", ${part ? `"${part}"` : null} ]`
  const { found, misses } = await collect(
    Object.fromEntries(['/kinds_dup.js', '/part_a.js', '/part_b.js', '/tree0.js', '/tree1.js'].map(path => [path, ''])),
    {
      '/app/menu.js': 'load("kinds"); function load(name) { it.src = name + ".js" }',
      '/app/list.js': `var list = [ ${row('Kinds', 'Kinds_dup')} ]`,
      '/app/lone/menu.js': 'open("tree" + i, 1); it.src = name + ".js"',
    },
  )
  // Neither the list nor the script names the root folder.
  expect([found, misses]).toEqual([[], 1])
  const parts = ['Kinds_dup', 'part_a', 'part_b', 'tree0', 'tree1', 'tree2'].map(name => `/app/${name}.js`)
  const whole = await collect(Object.fromEntries(parts.map(path => [path, ''])), {
    '/app/menu.js': 'open("tree"+i,function(){}); function open(name) { it.src = name+\'.js\'; }',
    '/app/list.js': `var list = [ ${row('Kinds', 'Kinds_dup')}, ${row('none', null)} ]`,
    '/app/Kinds_dup.js': `var kinds =\n[\n ${row('part_a', 'part_a')},\n ${row('part_b', 'part_b')}\n]`,
  })
  expect(whole).toEqual({ found: parts, misses: 1 })
})
