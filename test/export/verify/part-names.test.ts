import { expect, test } from 'vitest'
import { findParts } from '../../../server/export/verify/part-names.ts'

/** Finds parts among these files. Returns them and the number of requests for missing files. */
async function find(paths: string[], files: string[], scripts: string[] = []) {
  let misses = 0
  const found = await findParts(paths, scripts, async path => {
    if (files.includes(path)) return true
    misses += 1
    return false
  })
  return { found, misses }
}

const range = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + index)

test('finds parts that are numbered in hexadecimal, for each kind that a script lists', async () => {
  const kinds = ['all', 'classes', 'files', 'functions']
  const script = `var indexSectionsWithContent = { 0: "_abc~", 1: "xyz" };\nvar indexSectionNames = { ${kinds.map((kind, at) => `${at}: "${kind}"`).join(', ')} };`
  const parts = kinds
    .flatMap(kind => range(0, 27).map(number => `/ref/search/${kind}_${number.toString(16)}.js`))
    .sort()
  const { found, misses } = await find(['/ref/search/all_5.js', '/ref/search/all_12.js'], parts, [script])
  expect(found).toEqual(parts)
  expect(misses).toBeLessThan(30)
})

test('finds the numbered descriptions of each crate', async () => {
  const part = (crate: string, number: number) => `/search.desc/${crate}/${crate}-desc-${number}-1.80.0.js`
  const files = [...range(0, 12).map(number => part('core', number)), part('alloc', 0), part('alloc', 1)].sort()
  const { found } = await find([part('core', 3)], files, ['window.ALL_CRATES = ["alloc","core","std"];'])
  expect(found).toEqual(files)
})

test('finds parts that are counted from 1', async () => {
  const files = range(1, 14).map(number => `/index-${number}.json`)
  expect((await find(['/index-2.json'], files)).found).toEqual(files.sort())
})

test('knows no rule for hashes, and requests none of them', async () => {
  const files = ['/index/3c2a0e92d415.js', '/index/1f737988ffbe.js', '/index/57ea7c3cfe12.js']
  expect(await find(files.slice(0, 2), files)).toEqual({ found: null, misses: 0 })
})

test('one file that a search loads late is not a part of many', async () => {
  expect((await find(['/lib/stemmer.js'], ['/lib/stemmer.js'])).found).toEqual(['/lib/stemmer.js'])
})

test('a long list of names that are no parts costs few requests', async () => {
  const names = range(0, 500).map(number => `name${number}x`)
  const { misses } = await find(['/data/name3x.js'], ['/data/name3x.js'], [JSON.stringify(names)])
  expect(misses).toBeLessThan(10)
})
