import { existsSync, readdirSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { findInPath, isExecutable } from '../../base/executables.ts'
import places from './browser-places.json' with { type: 'json' }

/**
 * Finds a Chromium: PUPPETEER_EXECUTABLE_PATH if it is set, otherwise puppeteer's cache, the PATH and well-known paths. The
 * headless shell comes first: it renders the same pages with half the CPU time (docsify, 175 pages: 21 s, Chromium 40 s).
 * scripts/bootstrap.mjs searches the same places. Returns null if no Chromium is found.
 *
 * @param wish visible = it must be able to show a window.
 */
export function findBrowser(env: NodeJS.ProcessEnv = process.env, { visible = false } = {}): string | null {
  const named = env.PUPPETEER_EXECUTABLE_PATH
  if (named) return isExecutable(named) ? named : null
  const cache = env.PUPPETEER_CACHE_DIR ?? join(homedir(), '.cache', 'puppeteer')
  const suffix = process.platform === 'win32' ? '.exe' : ''
  const inPath = places.programs.flatMap(name => findInPath(name + suffix, env.PATH ?? '') ?? [])
  const downloaded = [...inCache(cache, 'chrome-headless-shell'), ...inCache(cache, 'chrome')]
  const all = [...downloaded, ...inPath, ...places.paths]
  return all.filter(file => !visible || !/headless/.test(file)).find(isExecutable) ?? null
}

/**
 * Identifies the build of the browser, because another build may show a page differently. Returns null if there is no
 * browser.
 */
export function describeBrowser(): string | null {
  const file = findBrowser()
  if (file === null) return null
  const { size, mtimeMs } = statSync(file)
  return `${file} ${size} ${mtimeMs}`
}

/** Returns the command that installs a Chromium on this machine. */
export function installCommand(): string {
  const isDebianRoot = process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')
  return isDebianRoot
    ? 'apt-get install chromium-headless-shell'
    : 'npx puppeteer browsers install chrome-headless-shell'
}

/** Lists browsers that puppeteer downloaded, newest first: CACHE/NAME/PLATFORM-VERSION/NAME-PLATFORM/NAME. */
function inCache(cache: string, name: string): string[] {
  const folder = join(cache, name)
  const list = (path: string) => (existsSync(path) ? readdirSync(path) : [])
  const versions = list(folder).sort((a, b) => b.localeCompare(a, 'en', { numeric: true }))
  const programs = [name, `${name}.exe`, 'Google Chrome for Testing.app/Contents/MacOS/Google Chrome for Testing']
  return versions.flatMap(version =>
    list(join(folder, version)).flatMap(inner => programs.map(program => join(folder, version, inner, program))),
  )
}
