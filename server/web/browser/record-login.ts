import { setTimeout as sleep } from 'node:timers/promises'
import type { Browser, ElementHandle, KeyInput, Page } from 'puppeteer'
import { OperatorError } from '../../base/operator-error.ts'
import type { LoginStep } from '../login/login-steps.ts'
import { createRecordedLogin, isForHost, pickSigning, type RecordedLogin } from '../login/recorded-login.ts'
import { closeBrowser, firstLine, type LaunchOptions, launch } from './launch.ts'

export interface LoginRecording {
  browser: Omit<LaunchOptions, 'network'>
  site: URL
  /** Null = a person signs in, in a window. */
  steps: readonly LoginStep[] | null
  /** Returns the text for a field. */
  readValue(value: NonNullable<LoginStep['value']>): Promise<string>
  /** Resolves when the person says that the login is done. The end of the window says so, too. */
  done: Promise<unknown>
  signal: AbortSignal
}

type Recording = Omit<LoginRecording, 'browser'>

const stepMs = 30_000
/** How often the state of the window is read: once it is closed, nothing can be read. */
const lookMs = 500
/** The page may still load, redirect and store its token after a step. */
const quiet = { idleTime: 500, timeout: 10_000 }

/**
 * Signs in to a site in a browser with access to the network, and returns what the browser then knows of the site.
 *
 * @throws {OperatorError} if a step fails, or nobody is signed in at the end. Names the step and never a value.
 */
export async function recordLogin({ browser, ...recording }: LoginRecording): Promise<RecordedLogin> {
  const { steps, site, signal } = recording
  const opened = await launch({ ...browser, network: steps ? 'hidden' : 'visible', signal }, 0)
  try {
    const [page = await opened.newPage()] = await opened.pages()
    const headers: RecordedLogin['headers'] = {}
    page.on('request', request => {
      const signing = pickSigning(request.headers())
      const isOwn = URL.parse(request.url())?.origin === site.origin
      if (
        isOwn &&
        /^(?:fetch|xhr)$/.test(request.resourceType()) &&
        request.method() === 'GET' &&
        Object.keys(signing).length > 0
      )
        headers[request.url()] = signing
    })
    const state = steps ? await follow(page, steps, recording) : await watch(opened, page, recording)
    return check({ ...state, headers }, site)
  } finally {
    await closeBrowser(opened)
  }
}

type State = Omit<RecordedLogin, 'format' | 'headers'> & { hasForm: boolean }

async function follow(page: Page, steps: readonly LoginStep[], recording: Recording): Promise<State> {
  for (const step of steps) {
    recording.signal.throwIfAborted()
    try {
      await take(page, step, recording)
    } catch (error) {
      if (error instanceof OperatorError) throw error
      const { line, action, target } = step
      // The message of the browser could contain what was typed.
      const why = (error as Error).name === 'TimeoutError' ? `took more than ${stepMs / 1000} seconds` : 'failed'
      const place = URL.parse(page.url())?.pathname ?? 'without an address'
      throw new OperatorError(`Line ${line} of the steps (${action} ${target}) ${why} on the page ${place}.`)
    }
  }
  return readState(page, recording.site)
}

async function take(page: Page, { action, target, value }: LoginStep, { site, readValue }: Recording): Promise<void> {
  if (action === 'open') await page.goto(new URL(target, site).href, { timeout: stepMs })
  else if (action === 'fill')
    await page
      .locator(target)
      .setTimeout(stepMs)
      .fill(value ? await readValue(value) : '')
  else if (action === 'press') await page.keyboard.press(target as KeyInput)
  else if (action === 'click') await (await findShown(page, target)).click()
  else await findShown(page, target)
  if (action !== 'fill') await page.waitForNetworkIdle(quiet).catch(() => {})
}

/** Waits for an element: `text=Sign in` names a button or a link by its name, else any text; all else is a CSS selector. */
async function findShown(page: Page, target: string): Promise<ElementHandle> {
  const name = JSON.stringify(target.slice('text='.length))
  const roles = ['button', 'link'].map(role => `::-p-aria([name=${name}][role="${role}"])`)
  const selectors = target.startsWith('text=') ? [...roles, `::-p-text(${name})`] : [target]
  const deadline = performance.now() + stepMs
  for (;;) {
    for (const selector of selectors) {
      // The page may load meanwhile.
      const found = await page.$(selector).catch(() => null)
      if (found && (await found.isVisible().catch(() => false))) return found
    }
    if (performance.now() > deadline) throw new DOMException('not found', 'TimeoutError')
    await sleep(lookMs)
  }
}

/** Reads the state of the window again and again, until the person is done. */
async function watch(browser: Browser, first: Page, { site, done, signal }: Recording): Promise<State> {
  await first.goto(site.href).catch(error => {
    throw new OperatorError(`${site.href} cannot be opened (${firstLine(error)}). Check the address.`)
  })
  let last: State | null = null
  let isDone = false
  void done.then(() => {
    isDone = true
  })
  for (;;) {
    signal.throwIfAborted()
    const pages = browser.connected ? await browser.pages().catch(() => []) : []
    const own = pages.find(page => URL.parse(page.url())?.origin === site.origin)
    if (own) last = await readState(own, site).catch(() => last)
    if (isDone || pages.length === 0) break
    await sleep(lookMs)
  }
  if (last) return last
  throw new OperatorError(
    `No page of ${site.host} was open at the end. Sign in, and close the window on a page of the site.`,
  )
}

async function readState(page: Page, site: URL): Promise<State> {
  const cookies = await page.browserContext().cookies()
  const isOwn = URL.parse(page.url())?.origin === site.origin
  const storage = isOwn ? ((await page.evaluate('({...localStorage})')) as Record<string, string>) : {}
  const fields = await page.$$('input[type=password]')
  const shown = await Promise.all(fields.map(field => field.isVisible()))
  return {
    landing: page.url().split('#', 1)[0] ?? '',
    recordedAt: Date.now(),
    storage,
    cookies: cookies
      .filter(
        ({ domain }) => isForHost({ domain }, site.hostname) || isForHost({ domain: `.${site.hostname}` }, domain),
      )
      .map(({ name, value, domain, path = '/', expires, secure, httpOnly }) => ({
        ...{ name, value, domain, path, secure, httpOnly: httpOnly ?? false },
        expiresAt: expires === undefined || expires < 0 ? null : Math.round(expires * 1000),
      })),
    hasPasswordField: fields.length > 0,
    hasForm: shown.includes(true),
  }
}

function check({ hasForm, ...login }: State & Pick<RecordedLogin, 'headers'>, site: URL): RecordedLogin {
  const { host, pathname, origin } = new URL(login.landing)
  const refuse = (why: string): never => {
    throw new OperatorError(`Nobody is signed in to ${site.host}: ${why}. Nothing was stored.`)
  }
  if (origin !== site.origin) refuse(`the login ended on ${host}`)
  if (hasForm) refuse(`the page ${pathname} still asks for a password`)
  if (login.cookies.length === 0 && Object.keys(login.storage).length === 0)
    refuse('it set no cookie and no local storage')
  return createRecordedLogin(login)
}
