import { expect, test } from 'vitest'
import { setUpBrowserlessExports } from '../browserless-exports.ts'
import { page } from '../fake-site.ts'
import { readEntry } from '../read-archive.ts'

const { run } = setUpBrowserlessExports()

test('a web manifest leads to the pages and icons of the bundle, and loads nothing that it lacks', async () => {
  const manifest = {
    start_url: '/guide',
    shortcuts: [{ url: '/gone' }],
    icons: [{ src: '/icon.png' }, { src: '/lost.png' }, { src: 'data:image/png;base64,AA' }],
  }
  const { entries } = await run({
    '/': page('home', '<link rel="manifest" href="/m/site.webmanifest"><a href="/guide">guide</a>'),
    '/guide': page('guide'),
    '/m/site.webmanifest': {
      headers: { 'content-type': 'application/manifest+json' },
      body: JSON.stringify(manifest),
    },
    '/icon.png': 'icon',
  })
  expect(JSON.parse(readEntry(entries, 'm/site.webmanifest'))).toMatchObject({
    start_url: '../guide.html',
    shortcuts: [{ url: './' }],
    icons: [{ src: '../icon.png' }, { src: 'data:,' }, { src: 'data:image/png;base64,AA' }],
  })
})
