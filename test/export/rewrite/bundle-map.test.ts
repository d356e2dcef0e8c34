import { describe, expect, test } from 'vitest'
import { createExclusions, createSite } from '../../../server/export/model/site.ts'
import { createAddressChanger, createBundleMap } from '../../../server/export/rewrite/bundle-map.ts'
import type { UrlRole } from '../../../server/web/html/page-links.ts'

const root = 'https://docs.example.com'
const site = createSite('docs.example.com', new URL(root))
const pagePaths = {
  [`${root}/`]: 'index.html',
  [`${root}/#/guide`]: 'guide.html',
  [`${root}/api`]: 'api/index.html',
  [`${root}/api.html`]: 'api/index.html',
}
const pages = new Map(Object.entries(pagePaths).map(([key, path]) => [key, { state: 'page' as const, path }]))
const files = new Map([[`${root}/a.png`, { state: 'file' as const, path: 'a.png' }]])
const map = createBundleMap(site, { pages, files, aliases: new Map() }, createExclusions([], site))

/** Returns what becomes of an address in the page `/api`. */
function change(
  address: string,
  role: UrlRole,
  more: { isApp?: boolean; isRendered?: boolean; hasBase?: boolean; base?: URL } = {},
) {
  return createAddressChanger({
    base: new URL(`${root}/api`),
    hasBase: false,
    isRendered: false,
    isApp: false,
    path: 'api/index.html',
    map,
    findings: { deadLink() {}, missingFile() {} },
    outside: { isOutside: () => false, sources: [] },
    ...more,
  })(address, role)
}

describe('a fragment that names a page of an app', () => {
  test('leads to the file of that page', () => {
    expect(change('/#/guide', 'link')).toEqual({ to: '../guide.html' })
    expect(change('/#/guide?id=top', 'link')).toEqual({ to: '../guide.html#top' })
  })

  test('stays as it is in the app, whose scripts handle it', () => {
    expect(change('/#/guide', 'link', { isApp: true })).toEqual({ to: '../index.html#/guide' })
  })

  test('means nothing in the address of a file', () => {
    expect(change('/a.png#/guide', 'asset')).toEqual({ to: '../a.png#/guide' })
  })
})

test('scripts are dropped from a rendered page only, and other files from none', () => {
  expect(change('/a.png', 'script', { isRendered: true })).toEqual({ drop: 'removed' })
  expect(change('/a.png', 'script')).toEqual({ to: '../a.png' })
  expect(change('/a.png', 'asset', { isRendered: true })).toEqual({ to: '../a.png' })
})

test('a base element changes the meaning of a link to a part of the page, not of a reference', () => {
  const start = new URL(`${root}/`)
  expect(change('#part', 'link')).toBeUndefined()
  expect(change('#part', 'link', { hasBase: true, base: start })).toEqual({ to: '../index.html#part' })
  expect(change('#icon', 'asset', { hasBase: true, base: start })).toBeUndefined()
})

test.each<[UrlRole, ReturnType<typeof change>]>([
  ['hint', { drop: 'removed' }],
  ['refused', { drop: 'removed' }],
  ['reference', undefined],
  ['asset', { to: '../a.png' }],
])('an address with the role %s becomes %j', (role, want) => {
  expect(change('/a.png', role)).toEqual(want)
  expect(change('', role)).toEqual(want && 'drop' in want ? want : undefined)
})
