import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openKeptBodies } from '../../../server/store/site-cache/kept-bodies.ts'

test('a body that is missing or damaged is not read, and can be written again', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'quire-bodies-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const bytes = Buffer.from('body')
  const body = { sha256: createHash('sha256').update(bytes).digest('hex'), sizeBytes: bytes.length }
  const bodies = openKeptBodies(folder, new Set())
  expect(await bodies.read(body)).toBeNull()
  await bodies.write(bytes, body)
  expect(await bodies.read(body)).toEqual(bytes)
  writeFileSync(join(folder, body.sha256), 'BODY')
  expect([await bodies.read(body), readdirSync(folder)]).toEqual([null, []])
  await bodies.write(bytes, body)
  expect(await bodies.read(body)).toEqual(bytes)
})
