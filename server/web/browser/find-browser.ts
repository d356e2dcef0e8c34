import { accessSync, constants, existsSync, readdirSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, join } from 'node:path'

/** The headless shell first: it renders the same pages with half the CPU time (docsify, 175 pages: 21 s, Chromium 40 s). */
const names = [
  ...['chromium-headless-shell', 'chrome-headless-shell', 'headless-shell'],
  ...['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome', 'msedge'],
]

const wellKnown = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
  'C:\\Program Files (x86)\\Microsoft\\Edge\\Application\\msedge.exe',
]

/**
 * Finds a Chromium: PUPPETEER_EXECUTABLE_PATH (and then nothing else), puppeteer's cache, the PATH, well-known places.
 * scripts/bootstrap.mjs searches the same places. Null when there is none.
 */
export function findBrowser(env: NodeJS.ProcessEnv = process.env): string | null {
  const named = env.PUPPETEER_EXECUTABLE_PATH
  if (named) return isExecutable(named) ? named : null
  const cache = env.PUPPETEER_CACHE_DIR ?? join(homedir(), '.cache', 'puppeteer')
  const suffix = process.platform === 'win32' ? '.exe' : ''
  const folders = (env.PATH ?? '').split(delimiter)
  const inPath = names.flatMap(name => folders.map(folder => join(folder, name + suffix)))
  const places = [...inCache(cache, 'chrome-headless-shell'), ...inCache(cache, 'chrome'), ...inPath, ...wellKnown]
  return places.find(isExecutable) ?? null
}

/** Names the browser that `findBrowser` finds: another build may show a page in another way. Null when there is none. */
export function describeBrowser(): string | null {
  const file = findBrowser()
  if (file === null) return null
  const { size, mtimeMs } = statSync(file)
  return `${file} ${size} ${mtimeMs}`
}

/** The command that installs a Chromium on this machine. */
export function installCommand(): string {
  const isDebianRoot = process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')
  return isDebianRoot
    ? 'apt-get install chromium-headless-shell'
    : 'npx puppeteer browsers install chrome-headless-shell'
}

/** Browsers that puppeteer downloaded: CACHE/NAME/PLATFORM-VERSION/NAME-PLATFORM/NAME, newest first. */
function inCache(cache: string, name: string): string[] {
  const folder = join(cache, name)
  const list = (path: string) => (existsSync(path) ? readdirSync(path) : [])
  const versions = list(folder).sort((a, b) => b.localeCompare(a, 'en', { numeric: true }))
  const programs = [name, `${name}.exe`, 'Google Chrome for Testing.app/Contents/MacOS/Google Chrome for Testing']
  return versions.flatMap(version =>
    list(join(folder, version)).flatMap(inner => programs.map(program => join(folder, version, inner, program))),
  )
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}
