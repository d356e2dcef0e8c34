// Prepares a fresh clone, then runs a script of the project on the pinned Node. Uses only Node built-ins and runs on any
// Node >= 20, because it installs everything else.
//
//   node scripts/bootstrap.mjs [--quiet] [--browser] SCRIPT [ARG ...]
//
// Without SCRIPT it only installs. `--browser` also looks for Chromium and installs it where possible.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..')
const windows = process.platform === 'win32'

const args = process.argv.slice(2)
const flags = new Set()
while (args[0] === '--quiet' || args[0] === '--browser') flags.add(args.shift())

const browser = flags.has('--browser') ? installBrowser() : undefined
await Promise.all([installPackages(), browser])
if (args.length > 0) runOnPinnedNode(args)

function report(text) {
  if (!flags.has('--quiet')) process.stderr.write(`${text}\n`)
}

/** Runs `npm ci` unless node_modules already matches the lock file on this platform. */
async function installPackages() {
  const stampFile = join(root, 'node_modules', '.quire-stamp')
  const stamp = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .update(`${process.platform}-${process.arch}`)
    .digest('hex')
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp) return
  process.stderr.write('Installing the packages of package-lock.json (npm ci, about half a minute) ...\n')
  // npm sets its path in the environment of its scripts; otherwise (plain `node scripts/bootstrap.mjs`) the PATH is used.
  const npm = process.env.npm_execpath
    ? [process.env.npm_node_execpath ?? process.execPath, process.env.npm_execpath]
    : [windows ? 'npm.cmd' : 'npm']
  const [command, ...prefix] = npm
  const status = await run(command, [...prefix, 'ci'], {
    stdio: ['ignore', 2, 2],
    shell: windows && prefix.length === 0,
  })
  if (status !== 0) {
    process.stderr.write('npm ci failed. Check the network and the free disk space, then run the command again.\n')
    process.exit(1)
  }
  mkdirSync(dirname(stampFile), { recursive: true })
  writeFileSync(stampFile, stamp)
}

/** Whether Chromium is installed. server/web/browser/find-browser.ts searches the same places. */
function hasBrowser() {
  if (process.env.PUPPETEER_EXECUTABLE_PATH) return existsSync(process.env.PUPPETEER_EXECUTABLE_PATH)
  const { programs, paths } = JSON.parse(readFileSync(join(root, 'server/web/browser/browser-places.json'), 'utf8'))
  const folders = (process.env.PATH ?? '').split(delimiter)
  if (folders.some(folder => programs.some(name => existsSync(join(folder, windows ? `${name}.exe` : name)))))
    return true
  if (paths.some(path => existsSync(path))) return true
  const cache = process.env.PUPPETEER_CACHE_DIR ?? join(homedir(), '.cache', 'puppeteer')
  return ['chrome', 'chrome-headless-shell'].some(
    name => existsSync(join(cache, name)) && readdirSync(join(cache, name)).length > 0,
  )
}

/**
 * Installs Debian's Chromium as root on a machine with apt-get, preferably the headless shell. A missing browser is only
 * reported, never fatal.
 */
async function installBrowser() {
  if (hasBrowser()) return
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) {
    report(
      'No Chromium found: sites that need a browser cannot be exported. Install one with: npx puppeteer browsers install chrome-headless-shell',
    )
    return
  }
  process.stderr.write('Installing Chromium (apt-get install chromium-headless-shell, about a minute) ...\n')
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  const aptGet = (...command) => run('apt-get', [...command, '-qq'], { env, stdio: 'ignore' })
  if ((await aptGet('update')) === 0) {
    for (const name of ['chromium-headless-shell', 'chromium'])
      if ((await aptGet('install', '-y', '--no-install-recommends', name)) === 0) return
  }
  report(
    'Chromium could not be installed: sites that need a browser cannot be exported. Install one with: apt-get install chromium',
  )
}

/** Returns the exit code of a child process; 1 when it could not be started. */
function run(command, args, options) {
  return new Promise(done => {
    spawn(command, args, { cwd: root, ...options })
      .on('error', () => done(1))
      .on('exit', code => done(code ?? 1))
  })
}

/** Runs SCRIPT in this terminal on the Node pinned in package.json, and exits with its exit code. */
function runOnPinnedNode([script, ...rest]) {
  const pinned = join(root, 'node_modules', '.bin', windows ? 'node.cmd' : 'node')
  const node = existsSync(pinned) ? pinned : process.execPath
  const env = {
    ...process.env,
    PATH: `${join(root, 'node_modules', '.bin')}${delimiter}${process.env.PATH}`,
    // Caches the stripped and compiled TypeScript: a command starts in half the time.
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? join(root, 'node_modules', '.cache', 'node'),
    // glibc keeps freed memory in a heap per thread; two heaps take 490 MB instead of 535 for 5,000 pages.
    MALLOC_ARENA_MAX: process.env.MALLOC_ARENA_MAX ?? '2',
  }
  // DEP0169: express-openapi-validator calls url.parse; users cannot act on this warning.
  const child = spawn(node, ['--disable-warning=DEP0169', join(root, script), ...rest], {
    stdio: 'inherit',
    env,
    shell: windows,
  })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('exit', (code, signal) => process.exit(signal ? 1 : (code ?? 1)))
}
