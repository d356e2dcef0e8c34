import { expect, test } from 'vitest'
import { createPreviewLinks, isPreviewName } from '../../../server/export/jobs/preview-links.ts'

const current = Buffer.alloc(32, 1)
const old = Buffer.alloc(32, 2)
const jobId = 'se_0f3c9a1b2d4e5f60'
const now = Date.parse('2026-11-28T12:00:00Z')

const open = (key = current) => createPreviewLinks({ current: () => key })

test('a name is one label of a host name, and names its job for one hour', () => {
  const links = open()
  const name = links.create(jobId, now)
  expect(name).toMatch(/^[0-9a-z-]{1,63}$/)
  expect(isPreviewName(name)).toBe(true)
  expect(isPreviewName('quire')).toBe(false)
  expect(links.read(name, now)).toBe(jobId)
  expect(links.read(name, now + 3_599_000)).toBe(jobId)
  expect(links.read(name, now + 3_601_000)).toBeUndefined()
})

test('a name that was changed, of another key or of a clock that was set back is refused', () => {
  const links = open()
  const name = links.create(jobId, now)
  for (let at = 0; at < name.length; at += 1) {
    const changed = `${name.slice(0, at)}${name[at] === '0' ? '1' : '0'}${name.slice(at + 1)}`
    expect([at, links.read(changed, now)]).toEqual([at, undefined])
  }
  expect(open(old).read(name, now)).toBeUndefined()
  expect(links.read(name, now - 60_000)).toBeUndefined()
})
