import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findBrowser, installCommand } from '../../web/browser/find-browser.ts'
import { BrowserStartError, closeBrowser, hasSandbox, isRoot, launch } from '../../web/browser/launch.ts'
import { type Finding, fail, messageOf, ok, warn } from './finding.ts'

/** Finds the browser of exports and starts it, without a page. Says what its sandbox protects. */
export async function checkBrowser(env: NodeJS.ProcessEnv, allowNoSandbox: boolean): Promise<Finding[]> {
  const executablePath = findBrowser(env)
  const named = env.PUPPETEER_EXECUTABLE_PATH
  if (executablePath === null && named) {
    const message = `PUPPETEER_EXECUTABLE_PATH names ${named}, which cannot be executed.`
    return [fail('browser', message, 'Correct the variable, or remove it.')]
  }
  if (executablePath === null) {
    const message = 'There is no Chromium. Pages that need a browser cannot be exported, and bundles are not verified.'
    return [warn('browser', message, installCommand())]
  }
  const folder = await mkdtemp(join(tmpdir(), 'quire-doctor-'))
  try {
    const browser = await launch({ executablePath, profileFolder: join(folder, 'profile'), allowNoSandbox }, 0)
    const version = await browser.version()
    const isSandboxed = hasSandbox(browser)
    await closeBrowser(browser)
    const starts = `${executablePath} starts (${version})`
    if (isSandboxed) return [ok('browser', `${starts}. Its sandbox locks up the scripts of exported sites.`)]
    return [warn('browser', `${starts} without its sandbox. ${describeDanger()}`, leaveRootOrAllow())]
  } catch (error) {
    if (error instanceof BrowserStartError) return [fail('browser', error.problem, error.remedy)]
    return [fail('browser', messageOf(error), `Install it again with its libraries: ${installCommand()}`)]
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 })
  }
}

function describeDanger(): string {
  const user = isRoot() ? 'root' : 'the user of Quire'
  return `A script of an exported site that breaks out of the browser becomes ${user}: only the container or virtual machine holds it.`
}

function leaveRootOrAllow(): string {
  const before = isRoot() ? 'Run Quire as another user than root' : 'Allow user namespaces'
  return `${before}, and remove --allow-no-sandbox and QUIRE_ALLOW_NO_SANDBOX. Keep them only where nothing but Quire runs.`
}
