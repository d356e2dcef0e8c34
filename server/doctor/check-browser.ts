import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findBrowser, installCommand } from '../web/browser/find-browser.ts'
import { closeBrowser, launch } from '../web/browser/launch.ts'
import { type Finding, fail, messageOf, ok, warn } from './finding.ts'

/** Finds the browser of exports and starts it, without a page. */
export async function checkBrowser(env: NodeJS.ProcessEnv): Promise<Finding[]> {
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
    const browser = await launch({ executablePath, profileFolder: join(folder, 'profile') }, 0)
    const version = await browser.version()
    await closeBrowser(browser)
    return [ok('browser', `${executablePath} starts (${version}).`)]
  } catch (error) {
    const remedy = `Install it again with its libraries: ${installCommand()}`
    return [fail('browser', messageOf(error), remedy)]
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 })
  }
}
