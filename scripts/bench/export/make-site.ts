import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { cp, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { OperatorError } from '../../../server/base/operator-error.ts'
import { readDocuments } from './documents.ts'
import { runNpm, runTool } from './run-tool.ts'
import type { NpmProject, ProgramProject, Site, SiteSource } from './site.ts'

const buildTimeoutMs = 900_000

/**
 * Builds or unpacks a site in a folder of the cache, unless an earlier run did so with the same recipe.
 *
 * @throws {OperatorError} when the site cannot be built here.
 */
export async function makeSite(site: Site, cacheFolder: string): Promise<SiteSource> {
  const { prefix, isApp } = site
  const habits = { ...(prefix === undefined ? {} : { prefix }), ...(isApp === undefined ? {} : { isApp }) }
  if ('debian' in site) return { folder: await unpackManual(site, cacheFolder), ...habits }
  const documents = site.link ? await readDocuments(await prepareDocuments(cacheFolder), site.link) : []
  const files = site.files(documents)
  const { name, description: _, search: __, ...recipe } = site
  const folder = await makeOnce(cacheFolder, name, { ...recipe, files }, async folder => {
    if ('command' in site) await buildByProgram(site, files, folder)
    else await buildByNpm(site, files, folder)
  })
  if (!('command' in site) && site.serve) return { folder, serve: site.serve }
  return {
    folder: join(folder, site.out ?? 'out'),
    ...habits,
    ...(isApp ? { pages: documents.map(({ slug }) => toPath(slug)) } : { pages: site.known ?? [] }),
  }
}

const toPath = (slug: string) => (slug === 'index' ? '/' : `/${slug}`)

/** Downloads the documents of fastify. The fixed version keeps the sites unchanged. */
async function prepareDocuments(cacheFolder: string): Promise<string> {
  return join(await installNpm(cacheFolder, 'documents', { fastify: '5.12.8' }), 'node_modules/fastify/docs')
}

/** Installs packages with their exact versions in a folder of the cache, once, beside some files. Returns the folder. */
export function installNpm(
  cacheFolder: string,
  name: string,
  npm: Record<string, string>,
  files: Files = {},
): Promise<string> {
  return makeOnce(cacheFolder, name, { npm, files }, folder => install({ npm }, files, folder))
}

async function makeOnce(
  cacheFolder: string,
  name: string,
  recipe: unknown,
  make: (folder: string) => Promise<void>,
): Promise<string> {
  const folder = join(cacheFolder, `site-${name}`)
  const stampFile = `${folder}.ready`
  const asText = (_: string, value: unknown) => (value instanceof RegExp ? String(value) : value)
  const stamp = createHash('sha256').update(JSON.stringify(recipe, asText)).digest('hex')
  if (existsSync(stampFile) && (await readFile(stampFile, 'utf8')) === stamp) return folder
  process.stderr.write(`Preparing ${name} in ${folder} ...\n`)
  await rm(stampFile, { force: true })
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  await make(folder)
  await writeFile(stampFile, stamp)
  return folder
}

type Files = Readonly<Record<string, string>>

async function install(
  { npm, overrides = {}, type, build }: Pick<NpmProject, 'npm' | 'overrides' | 'type'> & { build?: string },
  files: Files,
  folder: string,
): Promise<void> {
  const kind = type === null ? {} : { type: type ?? 'module' }
  const manifest = { name: 'docs', private: true, ...kind, scripts: { build }, dependencies: npm, overrides }
  await writeFiles(folder, { 'package.json': JSON.stringify(manifest, undefined, 2), ...files })
  await runNpm(['install', '--legacy-peer-deps'], { folder, log: 'npm.log', timeoutMs: buildTimeoutMs })
}

async function buildByNpm(site: NpmProject, files: Files, folder: string): Promise<void> {
  await install(site, files, folder)
  const env = { CI: '1', NEXT_TELEMETRY_DISABLED: '1', ASTRO_TELEMETRY_DISABLED: '1', ...site.env }
  await runNpm(['run', 'build'], { folder, log: 'build.log', timeoutMs: buildTimeoutMs, env })
}

async function buildByProgram(site: ProgramProject, files: Files, folder: string): Promise<void> {
  const { packages, command, npm } = site
  const [program, ...args] = command
  await installDebian(packages, program, folder)
  if (npm) await install({ npm }, files, folder)
  else await writeFiles(folder, files)
  // Programs of Python and Ruby read the locale to decode files.
  const env = { LC_ALL: 'C.UTF-8', PYENV_VERSION: 'system' }
  await runTool(program, args, { folder, log: 'build.log', timeoutMs: buildTimeoutMs, env })
}

async function writeFiles(folder: string, files: Files): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), text)
  }
}

/**
 * Installs Debian packages, if one of them or the program that they bring is missing.
 *
 * @throws {OperatorError} when they must be installed by hand.
 */
export async function installDebian(packages: readonly string[], file: string, logFolder: string): Promise<void> {
  const isInstalled = (name: string) => existsSync(`/var/lib/dpkg/info/${name}.list`)
  if (existsSync(file) && (packages.every(isInstalled) || !existsSync('/var/lib/dpkg/info'))) return
  const command = `apt-get install --no-install-recommends ${packages.join(' ')}`
  const missing = new OperatorError(`${file} is missing. Install it as root with: ${command}`)
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) throw missing
  process.stderr.write(`Installing ${packages.join(' ')} (apt-get) ...\n`)
  const options = { folder: logFolder, log: 'apt-get.log', env: { DEBIAN_FRONTEND: 'noninteractive' } }
  const flags = ['-y', '-qq', '--no-install-recommends']
  // The package lists of a fresh image are missing or old. If the update fails, the installation reports the error.
  await runTool('apt-get', ['update', '-qq'], options).catch(() => {})
  await runTool('apt-get', ['install', ...flags, ...packages], options)
  if (!existsSync(file)) throw missing
}

/**
 * Unpacks a manual into the cache. A complete manual that is installed here is served where it is. Its folder is not enough: that of
 * sqlite3-doc also holds the change log of sqlite3.
 */
async function unpackManual(
  { name, debian, folder: inside, keep }: Extract<Site, { debian: unknown }>,
  cacheFolder: string,
): Promise<string> {
  if (!keep && existsSync(`/${inside}/index.html`)) return `/${inside}`
  const made = await makeOnce(cacheFolder, name, { debian, inside, keep }, async folder => {
    const downloads = join(folder, '.downloads')
    const unpacked = join(folder, '.unpacked')
    await mkdir(downloads, { recursive: true })
    // By default, apt-get downloads as a user that cannot write to a folder of root.
    const asRoot = ['-o', 'APT::Sandbox::User=root']
    await runTool('apt-get', [...asRoot, 'download', ...debian], { folder: downloads, log: 'apt-get.log' })
    for (const file of (await readdir(downloads)).filter(name => name.endsWith('.deb')))
      await runTool('dpkg', ['-x', join(downloads, file), unpacked], { folder: downloads, log: 'dpkg.log' })
    await copyFiles(join(unpacked, inside), join(folder, 'site'), keep ?? /^/)
    await rm(downloads, { recursive: true })
    await rm(unpacked, { recursive: true })
  })
  return join(made, 'site')
}

/** Copies files, and those behind links. Links that lead nowhere are left out, as a server would answer 404. */
async function copyFiles(from: string, into: string, keep: RegExp, path = ''): Promise<void> {
  for (const name of await readdir(join(from, path))) {
    const inside = path === '' ? name : `${path}/${name}`
    const found = await stat(join(from, inside)).catch(() => undefined)
    if (found?.isDirectory()) await copyFiles(from, into, keep, inside)
    else if (found?.isFile() && keep.test(inside))
      await cp(join(from, inside), join(into, inside), { dereference: true })
  }
}
