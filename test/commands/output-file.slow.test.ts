import { spawnSync } from 'node:child_process'
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { formatOf, resolveOutput } from '../../server/commands/output-file.ts'
import { page, startFakeSite } from '../export/fake-site.ts'
import { readArchive } from '../export/read-archive.ts'
import type { RunningServer } from '../export/static-server.ts'
import { runQuire } from '../support/process.ts'
import { createRandomBytes } from '../support/random.ts'

let parent = ''
let folder = ''
let site: RunningServer

beforeAll(async () => {
  parent = mkdtempSync(join(tmpdir(), 'quire-output-'))
  site = await startFakeSite({ '/': page('home') })
})
beforeEach(() => {
  folder = mkdtempSync(join(parent, 'case-'))
})
afterAll(async () => {
  await site.close()
  rmSync(parent, { recursive: true, force: true })
})

test.each([
  ['docs.zip', 'zip'],
  ['DOCS.ZIP', 'zip'],
  ['docs', 'zip'],
  ['docs-v1.2', 'zip'],
  ['/srv/docs.example/bundle', 'zip'],
  ['.hidden', 'zip'],
  ['docs.tar.gz', 'tar.gz'],
  ['docs.tgz', 'tar.gz'],
])('%s is a %s', (file, format) => {
  expect(formatOf(file)).toBe(format)
})

test.each(['docs.rar', 'docs.7z.x', 'docs.tar', 'docs.gz', 'docs.html', 'docs.example.com'])(
  'refuses %s and names the formats',
  file => {
    expect(() => formatOf(file)).toThrow(/is not a bundle format\. Use a \.zip, \.tar\.gz or \.tgz file, or choose/)
  },
)

describe('refuses outputs that are not regular files', () => {
  let server: Server | undefined
  test.each<[string, () => Promise<string> | string, RegExp]>([
    ['a folder', () => folder, /is a folder\. Name a file, such as docs\.zip\.$/],
    ['nothing', () => '', /^--output is empty/],
    ['a device', () => '/dev/null', /^--output \/dev\/null is a device/],
    ['a link to a device', () => link('null.zip', '/dev/null'), /is a device/],
    ['a link to a folder', () => link('folder.zip', folder), /is a folder/],
    ['a link to itself', () => link('self.zip', 'self.zip'), /symbolic link that leads back to itself/],
    [
      'a named pipe',
      () => {
        spawnSync('mkfifo', [join(folder, 'pipe')])
        return join(folder, 'pipe')
      },
      /is a named pipe/,
    ],
    [
      'a socket',
      async () => {
        server = createServer()
        await new Promise<void>(done => server?.listen(join(folder, 's'), done))
        return join(folder, 's')
      },
      /is a socket/,
    ],
    ['a file as a folder', () => join(write('file', ''), 'x.zip'), /file is not a folder\)\.$/],
    ['a missing folder', () => join(folder, 'no', 'x.zip'), /the folder .* does not exist/],
    ['a folder where no file can be created', () => '/proc/self/x.zip', /cannot be written \(/],
    ['a name that is too long', () => join(folder, `${'x'.repeat(254)}.zip`), /its name is too long/],
    [
      'a folder with the name of the part file',
      () => {
        mkdirSync(join(folder, 'x.zip.part'))
        return join(folder, 'x.zip')
      },
      /a folder .*x\.zip\.part is in the way/,
    ],
  ])('%s', async (_, make, message) => {
    const error = await resolveOutput(await make()).catch(error => error)
    expect(error.message).toMatch(message)
    expect(error.exitCode).toBe(2)
    server?.close()
    server = undefined
  })

  const link = (name: string, target: string) => {
    symlinkSync(target, join(folder, name))
    return join(folder, name)
  }
  const write = (name: string, text: string) => {
    writeFileSync(join(folder, name), text)
    return join(folder, name)
  }
})

const env = { PUPPETEER_EXECUTABLE_PATH: '/nonexistent/chromium' }
const exportTo = (file: string, ...more: string[]) =>
  runQuire(['export', site.origin.href, '-o', file, ...more], { env })

test.each([
  [['-o', 'x.rar'], /^--output x\.rar: \.rar is not a bundle format/],
  [['-o', 'x.zip', '--path', ''], /^--path is empty\. Name a page, such as \/guide\/install/],
  [['-o', 'x.zip', '--work-folder', ''], /'' is invalid\. It must be a folder, such as \/var\/tmp\./],
  [['-o', '/dev/null'], /^--output \/dev\/null is a device/],
])('quire export %j ends with 2', async (args, message) => {
  const { code, stdout, stderr } = await runQuire(['export', site.origin.href, ...args], { env })
  expect([code, stdout, stderr]).toEqual([2, '', expect.stringMatching(message)])
})

test.each<[string, string, RegExp]>([
  ['--cache', 'file/c', /^--cache .*file\/c cannot be used \(.*file\/c is not a folder\)\. Choose a folder/],
  ['--cache', 'x'.repeat(5000), /^--cache .* cannot be used \(its name is too long\)/],
  ['--work-folder', 'file', /^--work-folder .*file cannot be written to \(.*file is not a folder\)\.$/m],
  ['--work-folder', 'nowhere', /cannot be written to \(the folder .*nowhere does not exist\)/],
  ['--work-folder', 'x'.repeat(5000), /cannot be written to \(its name is too long\)/],
])('refuses an unusable %s %s at once, and leaves no files', async (flag, name, message) => {
  writeFileSync(join(folder, 'file'), '')
  mkdirSync(join(folder, 'temporary'))
  const args = ['export', site.origin.href, '-o', join(folder, 'docs.zip'), flag, join(folder, name)]
  const { code, stderr } = await runQuire(args, { env: { ...env, TMPDIR: join(folder, 'temporary') } })
  expect([code, stderr]).toEqual([2, expect.stringMatching(message)])
  expect([readdirSync(folder).sort(), readdirSync(join(folder, 'temporary'))]).toEqual([['file', 'temporary'], []])
})

test('writes to the target of a symbolic link, and keeps the link', async () => {
  mkdirSync(join(folder, 'real'))
  symlinkSync('real/docs.zip', join(folder, 'latest.zip'))
  for (const _ of ['dangling', 'there']) {
    const { code } = await exportTo(join(folder, 'latest.zip'))
    expect(code).toBe(0)
    expect(lstatSync(join(folder, 'latest.zip')).isSymbolicLink()).toBe(true)
    expect(readArchive(join(folder, 'real/docs.zip')).length).toBeGreaterThan(1)
    expect(readdirSync(folder).sort()).toEqual(['latest.zip', 'real'])
    expect(readdirSync(join(folder, 'real'))).toEqual(['docs.zip'])
  }
})

test('does not follow a symbolic link with the name of the part file', async () => {
  writeFileSync(join(folder, 'precious'), 'precious')
  symlinkSync('precious', join(folder, 'docs.zip.part'))
  const { code } = await exportTo(join(folder, 'docs.zip'))
  expect([code, readFileSync(join(folder, 'precious'), 'utf8')]).toEqual([0, 'precious'])
  expect(readdirSync(folder).sort()).toEqual(['docs.zip', 'precious'])
})

test('replaces the part file of a killed export', async () => {
  writeFileSync(join(folder, 'docs.zip.part'), 'half')
  const { code } = await exportTo(join(folder, 'docs.zip'))
  expect([code, readdirSync(folder)]).toEqual([0, ['docs.zip']])
})

/** A small file system, which root can mount on Linux. */
function mountSmall(): string | null {
  const at = join(folder, 'small')
  mkdirSync(at)
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=256k', 'tmpfs', at])
  return status === 0 ? at : null
}

describe('a full disk', () => {
  test.for<[string, (small: string) => string[]]>([
    ['of the archive', (small: string) => [join(small, 'docs.zip')]],
    ['of the work folder', (small: string) => [join(folder, 'docs.zip'), '--work-folder', small]],
  ])('%s ends the export with the cause, and leaves no files', async ([, args], context) => {
    const small = mountSmall()
    if (small === null) return context.skip('only root on Linux can mount a small file system')
    const large = await startFakeSite({
      '/': page('home', '<img src="/a.png">'),
      '/a.png': createRandomBytes('picture', 600_000),
    })
    try {
      const [file = '', ...more] = args(small)
      const { code, stderr } = await runQuire(['export', large.origin.href, '-o', file, ...more], { env })
      expect([code, stderr]).toEqual([1, expect.stringContaining('The disk is full. Free some space, or name')])
      expect(readdirSync(small)).toEqual([])
      expect(existsSync(file)).toBe(false)
    } finally {
      spawnSync('umount', [small])
      await large.close()
    }
  })
})
