import type { Browser } from 'puppeteer'
import { OperatorError } from '../../base/operator-error.ts'
import { createQueue } from '../../base/queue.ts'
import { splitWords } from '../html/page-text.ts'
import type { Answerer, BrowserAnswer } from './browser-request.ts'
import { readMenuText, readVisibleText, scrollThrough, serializePage } from './in-page.ts'
import { closeBrowser, firstLine, launch, type RendererOptions } from './launch.ts'
import { settle, untilCrash, withDeadline } from './settle.ts'
import { openTab, type Showing, type Tab } from './tab.ts'

/** A page as it stands when its scripts have done their work. */
export interface RenderedPage {
  html: string
  /** What its relative addresses are relative to, before any base element. */
  url: URL
  /** The words a reader sees. */
  words: string[]
  /** Those of them that stand in menus and bars. */
  menuWords: string[]
  /** What its scripts loaded by themselves: data, modules, workers. */
  loaded: URL[]
  /** It asked for more than a page may; the rest was refused. */
  isCut: boolean
}

export interface Renderer {
  /**
   * Shows a page and reads it when it is quiet. Repeated once on a fresh browser when that one breaks.
   *
   * @param html what the server answers there, already fetched.
   * @param answer everything else that the page asks for.
   * @throws {RenderError} when the page cannot be shown.
   */
  render(url: URL, html: BrowserAnswer, answer: Answerer): Promise<RenderedPage>
  close(): Promise<void>
}

/** One page could not be shown. */
export class RenderError extends Error {}

const tabCount = 4
const maxScrollSteps = 60

/** Starts a browser that can reach nothing by itself, with a few tabs that are used again and again. */
export async function openRenderer(options: RendererOptions): Promise<Renderer> {
  const { signal } = options
  const queue = createQueue(tabCount)
  let generation = 0
  let launched: Promise<Browser> = launch(options, generation)
  const idleTabs: Tab[] = []
  await launched

  const relaunch = (broken: number) => {
    if (broken !== generation || signal.aborted) return
    generation += 1
    const old = launched
    launched = old.then(closeBrowser, () => {}).then(() => launch(options, generation))
  }

  async function takeTab() {
    for (let tab = idleTabs.pop(); tab; tab = idleTabs.pop()) {
      if (tab.generation === generation && !tab.page.isClosed()) return tab
    }
    const own = generation
    return openTab(await launched, own)
  }

  async function renderOnce(url: URL, html: BrowserAnswer, answer: Answerer): Promise<RenderedPage> {
    const tab = await takeTab()
    let isReusable = false
    try {
      const shown = untilCrash(tab.page, showPage(tab, url, html, answer, options))
      const rendered = await withDeadline(shown, options.pageTimeoutMs, signal)
      isReusable = true
      return rendered
    } finally {
      if (isReusable) idleTabs.push(tab)
      // After an abort the whole browser is closed; there is nothing to tidy.
      else if (!signal.aborted)
        await withDeadline(tab.page.browserContext().close(), 2000, signal).catch(() => relaunch(tab.generation))
    }
  }

  return {
    render: (url, html, answer) =>
      queue.add(async () => {
        for (let attempt = 0; ; attempt += 1) {
          signal.throwIfAborted()
          const own = generation
          try {
            return await renderOnce(url, html, answer)
          } catch (error) {
            signal.throwIfAborted()
            if (error instanceof OperatorError) throw error
            if (!(await launched.catch(() => null))?.connected) relaunch(own)
            if (attempt > 0)
              throw new RenderError(`the browser could not show the page (${firstLine(error)})`, { cause: error })
          }
        }
      }),
    async close() {
      await launched.then(closeBrowser, () => {})
    },
  }
}

async function showPage(
  tab: Tab,
  url: URL,
  html: BrowserAnswer,
  answer: Answerer,
  { pageTimeoutMs: timeoutMs, pageRequests }: RendererOptions,
): Promise<RenderedPage> {
  const { page } = tab
  const showing: Showing = {
    url,
    html,
    answer,
    isDocumentSent: false,
    loaded: [],
    requestsLeft: pageRequests,
    open: new Map(),
    finished: 0,
  }
  try {
    // From one fragment of a page to another is no start of the page.
    if (url.hash !== '') await page.goto('about:blank', { timeout: timeoutMs })
    await tab.client.send('Storage.clearDataForOrigin', { origin: url.origin, storageTypes: 'all' }).catch(() => {})
    tab.showing = showing
    const deadline = performance.now() + timeoutMs * 0.8
    await page.goto(url.href, { waitUntil: 'domcontentloaded', timeout: timeoutMs })
    await settle(tab.client, showing, deadline)
    if (await page.evaluate(scrollThrough, maxScrollSteps)) await settle(tab.client, showing, deadline)
    const words = splitWords(await page.evaluate(readVisibleText))
    const menuWords = splitWords(await page.evaluate(readMenuText))
    const { html: finished, baseUrl } = await page.evaluate(serializePage)
    return {
      html: finished,
      url: new URL(baseUrl),
      words,
      menuWords,
      loaded: showing.loaded,
      isCut: showing.requestsLeft < 0,
    }
  } finally {
    tab.showing = null
  }
}
