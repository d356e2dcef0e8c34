import { spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, join } from 'node:path'

const windows = process.platform === 'win32'

/**
 * Installs Debian's Chromium as root on a machine with apt-get, preferably the headless shell. A missing browser is only
 * reported, never fatal.
 */
export async function installBrowser(root, report) {
  if (hasBrowser(root)) return
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) {
    report(
      'No Chromium found: sites that need a browser cannot be exported. Install one with: npx puppeteer browsers install chrome-headless-shell',
    )
    return
  }
  process.stderr.write('Installing Chromium (apt-get install chromium-headless-shell, about a minute) ...\n')
  if ((await runAptGet('update')) === 0) {
    for (const name of ['chromium-headless-shell', 'chromium'])
      if ((await runAptGet('install', '-y', '--no-install-recommends', name)) === 0) return
  }
  report(
    'Chromium could not be installed: sites that need a browser cannot be exported. Install one with: apt-get install chromium',
  )
}

/** Whether Chromium is installed. server/web/browser/find-browser.ts searches the same places. */
function hasBrowser(root) {
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

/** Returns the exit code; 1 when it could not be started. */
function runAptGet(...args) {
  const options = { stdio: 'ignore', env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } }
  return new Promise(done => {
    spawn('apt-get', [...args, '-qq'], options)
      .on('error', () => done(1))
      .on('exit', code => done(code ?? 1))
  })
}
