import { expect, test } from 'vitest'
import { manifestUrls, replaceManifestUrls } from '../../../server/web/html/manifest.ts'

const manifest = JSON.stringify({
  name: 'Docs',
  start_url: '/',
  icons: [{ src: '/a.png', sizes: '1x1' }, { src: 'b.png' }, null, { sizes: 'x' }],
  shortcuts: [{ url: '/s', icons: [{ src: 's.png' }] }],
})

test('lists icons and start URLs', () => {
  expect(manifestUrls(manifest)).toEqual({ icons: ['/a.png', 'b.png', 's.png'], starts: ['/', '/s'] })
})

test('replaces addresses, and does not change a text without replacements', () => {
  const changed = replaceManifestUrls(manifest, address => (address === '/a.png' ? 'x/a.png' : undefined))
  expect(JSON.parse(changed).icons[0]).toEqual({ src: 'x/a.png', sizes: '1x1' })
  expect(JSON.parse(changed).name).toBe('Docs')
  expect(replaceManifestUrls(manifest, () => undefined)).toBe(manifest)
})

test.each(['', '{', '[]', 'null', '"x"', '{"icons":1,"shortcuts":[1]}'])(
  '%j has no addresses and does not change',
  text => {
    expect(manifestUrls(text)).toEqual({ icons: [], starts: [] })
    expect(replaceManifestUrls(text, () => 'x')).toBe(text)
  },
)
