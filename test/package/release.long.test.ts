import { execFile } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startServer } from '../export/static-server.ts'
import { root, withoutPackages } from './installed-package.ts'

const run = promisify(execFile)
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const nextVersion = '99.0.0'

let work: string
let release: string
let nextRelease: string
let publicKey: string
let quire: string
let site: Awaited<ReturnType<typeof startServer>>

async function makeRelease(
  from: string,
  output: string,
): Promise<{ publicKey: string; files: Record<string, string> }> {
  const flags = ['--dry-run', '--target', 'linux-x64', '--key', join(work, 'key.pem'), '--output', output, '--json']
  return JSON.parse((await run(process.execPath, ['scripts/release.ts', ...flags], { cwd: from })).stdout)
}

beforeAll(async () => {
  work = mkdtempSync(join(tmpdir(), 'quire-release-'))
  const { privateKey } = generateKeyPairSync('ed25519')
  writeFileSync(join(work, 'key.pem'), privateKey.export({ type: 'pkcs8', format: 'pem' }))
  release = join(work, 'release')
  nextRelease = join(work, 'next')
  const [made] = await Promise.all([makeRelease(root, release), makeRelease(await copySources(), nextRelease)])
  publicKey = made.publicKey
  site = await startServer((req, res) => {
    const file = join(work, 'next', basename(req.url ?? ''))
    res.writeHead(existsSync(file) ? 200 : 404)
    res.end(existsSync(file) ? readFileSync(file) : '')
  })
  // As the page on releases says.
  quire = join(work, 'bin', 'quire')
  mkdirSync(dirname(quire))
  copyFileSync(join(release, 'quire-linux-x64'), quire)
  chmodSync(quire, 0o755)
})
afterAll(async () => {
  await site?.close()
  rmSync(work, { recursive: true, force: true })
})

/** Copies the tree as it is now, with a higher version. */
async function copySources(): Promise<string> {
  const folder = join(work, 'sources')
  const { stdout } = await run('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: root })
  for (const file of stdout.split('\n').filter(name => name !== '' && existsSync(join(root, name))))
    cpSync(join(root, file), join(folder, file))
  const edit = (file: string, from: string, to: string) => {
    const text = readFileSync(join(folder, file), 'utf8')
    writeFileSync(join(folder, file), text.replace(from, to))
  }
  edit('package.json', `"version": "${version}"`, `"version": "${nextVersion}"`)
  edit('CHANGELOG.md', `## ${version}`, `## ${nextVersion}\n\n## ${version}`)
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  writeFileSync(join(work, 'excluded'), 'node_modules\n')
  for (const args of [
    ['init', '--quiet'],
    ['config', 'core.excludesFile', join(work, 'excluded')],
    ['add', '--all'],
    ['-c', 'user.name=t', '-c', 'user.email=t@example.com', 'commit', '--quiet', '--message', 'Next'],
  ]) {
    await run('git', args, { cwd: folder })
  }
  return folder
}

const runRelease = (...args: string[]) =>
  run(process.execPath, ['scripts/release.ts', ...args, '--public-key', publicKey], { cwd: root })
const call = (...args: string[]) => run(quire, args, { env: { HOME: work, PATH: '/nowhere' } })
const installed = async () => JSON.parse((await call('version', '--json')).stdout).version

test('a second build of the release gives the same bytes', async () => {
  expect((await runRelease('--compare', release)).stdout).toContain('have the same bytes when built again')
})

test('the release has every kind of file, and each is listed', async () => {
  const { stdout } = await runRelease('--verify', release, '--json')
  const names = readdirSync(release).filter(name => !name.startsWith('SHA256SUMS'))
  expect(Object.keys(JSON.parse(stdout).files)).toEqual(names.sort())
  const kinds = ['quire-linux-x64', `quire-${version}.tgz`, `quire-spec-${version}.tgz`]
  kinds.push(`quire-chart-${version}.tgz`, `quire-host-chart-${version}.tgz`)
  const artifacts = [`quire-chart-${version}.oci.tar`, `quire-host-chart-${version}.oci.tar`]
  expect(names).toEqual(expect.arrayContaining([...kinds, ...artifacts, ...kinds.map(name => `${name}.cdx.json`)]))
  expect(readdirSync(nextRelease)).toContain(`quire-${nextVersion}.intoto.json`)
})

test('a changed byte in any file is refused, and the file is named', async () => {
  for (const name of readdirSync(release)) {
    const file = join(release, name)
    const bytes = readFileSync(file)
    const changed = Buffer.from(bytes)
    const at = Math.floor(bytes.length / 2)
    changed[at] = (bytes[at] as number) ^ 1
    writeFileSync(file, changed)
    const refusal = await runRelease('--verify', release).catch(error => error.stderr)
    writeFileSync(file, bytes)
    expect(refusal, name).toContain(name)
  }
  await runRelease('--verify', release)
})

const hasMinisign = await run('minisign', ['-v']).then(
  () => true,
  () => false,
)
test.skipIf(!hasMinisign)('minisign verifies the signature', async () => {
  const args = ['-V', '-p', 'quire-release.pub', '-m', 'SHA256SUMS']
  expect((await run('minisign', args, { cwd: release })).stdout).toContain(`Trusted comment: quire ${version} commit`)
})

test('self-update refuses a changed program, an older release and another key, and replaces nothing', async () => {
  const bad = join(work, 'bad')
  mkdirSync(bad)
  for (const name of ['SHA256SUMS', 'SHA256SUMS.minisig']) copyFileSync(join(nextRelease, name), join(bad, name))
  writeFileSync(join(bad, 'quire-linux-x64'), 'a program of others')
  const refuse = async (...args: string[]) =>
    (await call('self-update', '--from', ...args).catch(error => error)).stderr
  expect(await refuse(bad)).toContain('quire-linux-x64 was changed')
  expect(await refuse(nextRelease, '--public-key', `RWQ${'A'.repeat(53)}`)).toContain('which is trusted')
  expect(readdirSync(dirname(quire))).toEqual(['quire'])
  expect(await installed()).toBe(version)
})

test('the binary updates itself from an address, keeps the old one, and goes back only when told', async () => {
  const check = await call('self-update', '--from', site.origin.href, '--check', '--json')
  expect(JSON.parse(check.stdout)).toMatchObject({ available: nextVersion, isUpdate: true, updated: false })
  const update = await call('self-update', '--from', site.origin.href, '--json')
  expect(JSON.parse(update.stdout)).toMatchObject({ updated: true, previous: `${quire}.previous` })
  expect(await installed()).toBe(nextVersion)
  expect(readFileSync(`${quire}.previous`).equals(readFileSync(join(release, 'quire-linux-x64')))).toBe(true)
  const older = await call('self-update', '--from', release).catch(error => error)
  expect(older.stderr).toContain(`The release has ${version}, which is older than ${nextVersion}`)
  await call('self-update', '--from', release, '--allow-downgrade')
  expect(await installed()).toBe(version)
  expect(readdirSync(dirname(quire)).sort()).toEqual(['quire', 'quire.previous'])
})

test('quire-spec of the release can be installed into an empty project', async () => {
  const folder = join(work, 'app')
  mkdirSync(folder)
  writeFileSync(join(folder, 'package.json'), '{}')
  const dependencies = ['openapi-fetch', 'openapi-typescript-helpers'].map(name => join(root, 'node_modules', name))
  const flags = ['--offline', '--install-links', '--ignore-scripts', '--no-audit', '--no-fund']
  const tarball = join(release, `quire-spec-${version}.tgz`)
  await run('npm', ['install', ...flags, tarball, ...dependencies], { cwd: folder, env: withoutPackages() })
  const code = "import('quire-spec').then(({ createClient }) => console.log(typeof createClient))"
  expect((await run(process.execPath, ['--eval', code], { cwd: folder })).stdout).toBe('function\n')
})
