import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { page } from '../export/fake-site.ts'
import { type RunningServer, startServer } from '../export/static-server.ts'
import { runQuire } from '../support/process.ts'
import { createRandomBytes } from '../support/random.ts'
import { canMount, mountSmallDisk, type SmallDisk } from '../support/small-disk.ts'

const testOnDisk = test.skipIf(!canMount())

const paths = Array.from({ length: 1500 }, (_, index) => `/p${index}`)
const home = page('home', paths.map(path => `<a href="${path}">x</a>`).join(''))
const text = createRandomBytes('a long page', 30_000).toString('hex')
const pictures = Array.from({ length: 10 }, (_, index) => `<img src="/${index}.png">`).join('')

let disk: SmallDisk
let site: RunningServer
beforeEach(async ({ task }) => {
  if (task.mode === 'skip') return
  disk = mountSmallDisk(8) as SmallDisk
  site = await startServer((request, response) => {
    const path = request.url ?? '/'
    setTimeout(() => {
      if (path.endsWith('.png')) response.writeHead(200, { 'content-type': 'image/png' }).end(Buffer.alloc(1e6, 1))
      else if (path !== '/' && !paths.includes(path)) response.writeHead(404).end()
      else response.writeHead(200, { 'content-type': 'text/html' }).end(path === '/' ? home : page(path, text + extra))
    }, 20)
  })
})
afterEach(async ({ task }) => {
  if (task.mode === 'skip') return
  await site.close()
  disk.unmount()
})

let extra = ''
const rows = [
  { what: 'pages', more: '' },
  { what: 'files', more: pictures },
]
for (const { what, more } of rows) {
  // Without an end, the command would go on for minutes with requests that can no longer be sent.
  testOnDisk(
    `quire export ends when ${what} fill the disk of its work folder (needs the right to mount)`,
    { timeout: 30_000 },
    async () => {
      extra = more
      const output = join(disk.folder, 'docs.zip')
      const args = ['export', site.origin.href, '-o', output, '--work-folder', disk.folder, '--verify', 'static']
      const { code, stderr } = await runQuire(args)
      expect(stderr).toMatch(/The disk is full\. Free some space, or name another folder with --work-folder\.\n$/)
      expect(code).toBe(1)
    },
  )
}
