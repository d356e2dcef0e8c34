import { expect, test } from 'vitest'
import { manifestUrls, replaceManifestUrls } from '../../../server/web/html/manifest.ts'

const manifest = JSON.stringify({
  name: 'Docs',
  start_url: '/',
  icons: [{ src: '/a.png', sizes: '1x1' }, { src: 'b.png' }, null, { sizes: 'x' }],
  shortcuts: [{ url: '/s', icons: [{ src: 's.png' }] }],
})

test('names icons and starts', () => {
  expect(manifestUrls(manifest)).toEqual({ icons: ['/a.png', 'b.png', 's.png'], starts: ['/', '/s'] })
})

test('replaces addresses, and leaves a text alone where none changes', () => {
  const changed = replaceManifestUrls(manifest, address => (address === '/a.png' ? 'x/a.png' : undefined))
  expect(JSON.parse(changed).icons[0]).toEqual({ src: 'x/a.png', sizes: '1x1' })
  expect(JSON.parse(changed).name).toBe('Docs')
  expect(replaceManifestUrls(manifest, () => undefined)).toBe(manifest)
})

test.each(['', '{', '[]', 'null', '"x"', '{"icons":1,"shortcuts":[1]}'])('%j names nothing and stays', text => {
  expect(manifestUrls(text)).toEqual({ icons: [], starts: [] })
  expect(replaceManifestUrls(text, () => 'x')).toBe(text)
})
