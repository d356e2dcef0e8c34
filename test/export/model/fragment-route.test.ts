import { describe, expect, test } from 'vitest'
import { isRouteKey, routeAnchor, routeFile, routeKey, routeOf } from '../../../server/export/model/fragment-route.ts'

const root = 'https://docs.example.com'

describe('a fragment that begins with a slash names a page of an app', () => {
  test.each([
    ['/#/guide', '/guide', '/#/guide', ''],
    ['/#/guide?id=install', '/guide', '/#/guide', '#install'],
    ['/#/guide?a=1&id=%E4%B8%AD', '/guide', '/#/guide', '#%E4%B8%AD'],
    ['/#/guide#install', '/guide', '/#/guide', '#install'],
    ['/#/guide/', '/guide/', '/#/guide/', ''],
    ['/index.html#//a/../b%2dc', '/b-c', '/#/b-c', ''],
    ['/docs/?v=2#/中', '/%E4%B8%AD', '/docs#/%E4%B8%AD', ''],
    ['/#/', '/', '/', ''],
    ['/#/?id=install', '/', '/', '#install'],
  ])('%s', (address, route, key, anchor) => {
    const url = new URL(address, root)
    expect([routeOf(url), routeKey(url), routeAnchor(url)]).toEqual([route, root + key, anchor])
  })

  test.each(['/', '/#', '/#install', '/#!/guide', '/guide#a/b'])('no page of an app: %s', address => {
    const url = new URL(address, root)
    expect([routeOf(url), isRouteKey(routeKey(url)), routeAnchor(url)]).toEqual([null, false, ''])
  })
})

test.each([
  ['/#/guide', '/guide.html'],
  ['/#/guide/', '/guide/'],
  ['/docs#/api/v1.0', '/docs/api/v1.0.html'],
  ['/app.html#/guide', '/app/guide.html'],
])('the page %s gets the address %s', (key, path) => {
  expect(routeFile(root + key).href).toBe(root + path)
})
