import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Browser } from 'puppeteer'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { runtimeFile } from '../../../server/export/runtime/page-runtime.ts'
import { findBrowser, installCommand } from '../../../server/web/browser/find-browser.ts'
import { launch } from '../../../server/web/browser/launch.ts'

const scratch = mkdtempSync(join(tmpdir(), 'quire-runtime-'))
const executablePath = findBrowser()
let browser: Browser | null = null

beforeAll(async () => {
  if (executablePath)
    browser = await launch({ executablePath, profileFolder: join(scratch, 'profile'), allowNoSandbox: true }, 0)
})
beforeEach(context => {
  if (!browser) context.skip(`needs a Chromium; install one with: ${installCommand()}`)
})
afterAll(async () => {
  await browser?.close()
  rmSync(scratch, { recursive: true, force: true })
})

/** Evaluates an expression in a page with the run-time, opened from file://. */
async function evaluate(markup: string, expression: string, themeAttributes: string[] = []): Promise<unknown> {
  writeFileSync(
    join(scratch, 'runtime.js'),
    runtimeFile({ themeAttributes, hasDarkClass: false, hasSearch: false, isHosted: false, outlines: [] }),
  )
  const file = join(scratch, 'page.html')
  writeFileSync(file, `<!doctype html><script src="runtime.js" defer></script>${markup}`)
  // With a storage of its own: a page of the same browser may still see what an earlier one has removed.
  const context = await browser?.createBrowserContext()
  const page = await context?.newPage()
  try {
    await page?.goto(pathToFileURL(file).href)
    return await page?.evaluate(expression)
  } finally {
    await context?.close()
  }
}

describe('a page that is hidden until its scripts run', () => {
  const content = '<main><h1>Title</h1><p>Words.</p></main>'
  const seen = (selector: string) =>
    `(it => [it.checkVisibility({ opacityProperty: true, visibilityProperty: true }), getComputedStyle(it).display].join(' '))(document.querySelector('${selector}'))`
  const cases: { fact: string; markup: string; selector: string; want: string }[] = [
    {
      fact: 'shows an element that a class hides, with its usual layout',
      markup: `<style>.book { display: flex } .veiled { display: none }</style><div class="book veiled">${content}</div>`,
      selector: '.book',
      want: 'true flex',
    },
    {
      fact: 'shows an element that an attribute hides',
      markup: `<style>[veiled] { visibility: hidden }</style><div class="book" veiled>${content}</div>`,
      selector: 'h1',
      want: 'true block',
    },
    {
      fact: 'shows a transparent body and a hidden element in it',
      markup: `<style>body { opacity: 0 } .book { display: none }</style><div class="book">${content}</div>`,
      selector: 'h1',
      want: 'true block',
    },
    {
      fact: 'shows a page without headings',
      markup: '<style>.veiled { visibility: hidden }</style><body class="veiled"><p>Words.</p>',
      selector: 'p',
      want: 'true block',
    },
    {
      fact: 'does not show a hidden element beside visible content',
      markup: `${content}<article hidden><p>More.</p></article>`,
      selector: 'article',
      want: 'false none',
    },
    {
      fact: 'opens no dialog',
      markup: '<p>Welcome.</p><dialog><h1>Sign in</h1></dialog>',
      selector: 'dialog',
      want: 'false none',
    },
  ]
  test.each(cases)('$fact', async ({ markup, selector, want }) => {
    expect(await evaluate(markup, seen(selector))).toBe(want)
  })
})

describe('a list of themes', () => {
  const list = (options: string) => `<select>${options}</select><p>Words.</p>`
  const choose = (value: string) =>
    `(list => { list.value = '${value}'; list.dispatchEvent(new Event('change', { bubbles: true })); return document.documentElement.dataset.theme })(document.querySelector('select'))`
  const themes =
    '<option value="dark">Dark</option><option value="light">Light</option><option value="auto" selected>Auto</option>'

  test.each([
    ['dark', 'dark'],
    ['light', 'light'],
    ['auto', 'light'],
  ])('shows the theme %s', async (value, want) => {
    expect(await evaluate(list(themes), choose(value), ['data-theme'])).toBe(want)
  })

  test('by the texts of its options', async () => {
    const texts = '<option value="1">Light</option><option value="2">Dark</option>'
    expect(await evaluate(list(texts), choose('2'), ['data-theme'])).toBe('dark')
  })

  test('shows the choice of an earlier page, and the system theme again', async () => {
    const stored = list(`${themes}`).replace(
      '<select>',
      '<script>localStorage.setItem("quire-theme", "dark")</script><select>',
    )
    const expression = `[document.documentElement.dataset.theme, document.querySelector('select').value, ${choose('auto')}, localStorage.getItem('quire-theme')].join(' ')`
    expect(await evaluate(stored, expression, ['data-theme'])).toBe('dark dark light ')
  })

  test('another list changes nothing', async () => {
    const languages = '<option value="en">English</option><option value="dark">Dark arts</option>'
    expect(await evaluate(list(languages), choose('dark'), ['data-theme'])).toBe('light')
  })
})

describe('tabs', () => {
  /** Clicks an element, and returns the texts of the paragraphs that are shown then. */
  const clickAndRead = (selector: string) =>
    `(document.querySelector(${JSON.stringify(selector)}).click(), Array.from(document.querySelectorAll('p, pre')).filter(it => it.checkVisibility()).map(it => it.textContent).join(' '))`
  const radio = (at: number, name: string) =>
    `<input type="radio" name="g" id="t${at}"${at === 0 ? ' checked' : ''}><label for="t${at}">${name}</label>`
  const roles = (at: number, more: string) =>
    `<button role="tab" aria-selected="${at === 0}" data-state="${at === 0 ? 'active' : 'inactive'}" aria-controls="c${at}" id="tab${at}" ${more}>Tab ${at}</button>`
  const cases: { fact: string; markup: string; selector: string; want: string }[] = [
    {
      fact: 'a radio button shows the block of its label',
      markup: `<style>.blocks > * { display: none } .blocks > .active { display: block }</style><div class="group"><div class="tabs">${radio(0, 'npm')}${radio(1, 'yarn')}</div><div class="blocks"><div class="language-sh active"><pre>npm i</pre></div><div class="language-js"><pre>yarn add</pre></div></div></div>`,
      selector: 'label[for=t1]',
      want: 'yarn add',
    },
    {
      fact: 'a label without a role shows its part',
      markup:
        '<style>.part--hidden { display: none }</style><div><div class="row"><div class="it it--selected">a</div><div class="it it--not-selected">b</div><div class="it it--not-selected">c</div></div><div><div class="part--active" aria-hidden="false"><p>one</p></div><div class="part--hidden" aria-hidden="true"><p>two</p></div><div class="part--hidden" aria-hidden="true"><p>three</p></div></div></div>',
      selector: '.it:nth-child(3)',
      want: 'three',
    },
    {
      fact: 'panels that style sheets show by a state',
      markup: `<style>[data-state=inactive].panel { display: none }</style><div><div role="tablist">${roles(0, '')}${roles(1, '')}</div><div class="panel" role="tabpanel" data-state="active" id="c0"><p>first</p></div><div class="panel" role="tabpanel" data-state="inactive" hidden id="c1"><p>second</p></div></div>`,
      selector: '#tab1',
      want: 'second',
    },
    {
      fact: 'a panel that scripts fill is taken from the page',
      markup: `<div><div role="tablist">${roles(0, '')}${roles(1, '')}</div><div role="tabpanel" id="c0"><p>first</p></div><div role="tabpanel" id="c1" hidden></div></div><template data-quire-panel="0 Tab 0 | Tab 1" data-quire-tab="1"><div role="tabpanel" id="other" class="panel"><p>kept</p></div></template>`,
      selector: '#tab1',
      want: 'kept',
    },
    {
      fact: 'panels that the page lacks are placed in the order of the tabs',
      markup:
        '<div><div role="tablist"><b role="tab" aria-selected="false">a</b><b role="tab" aria-selected="true">b</b><b role="tab" aria-selected="false" id="last">c</b></div><div><div role="tabpanel"><p>two</p></div></div></div><template data-quire-panel="0 a | b | c" data-quire-tab="0"><div role="tabpanel"><p>one</p></div></template><template data-quire-panel="0 a | b | c" data-quire-tab="2"><div role="tabpanel"><p>three</p></div></template>',
      selector: '#last',
      want: 'three',
    },
    {
      fact: 'a click on other text changes nothing',
      markup: '<div><div><i>a</i><i>b</i></div><div><p>one</p><p>two</p></div></div>',
      selector: 'i',
      want: 'one two',
    },
  ]
  test.each(cases)('$fact', async ({ markup, selector, want }) => {
    expect(await evaluate(markup, clickAndRead(selector))).toBe(want)
  })
})

describe('a control whose press was recorded', () => {
  const tabs = '<div><div class="bar"><button>One</button><button>Two</button></div><p>First.</p></div>'
  const states =
    '<template data-quire-state="0 button Two" data-quire-up="2"><div><div class="bar"><button data-quire-control="0 button One">One</button><button data-quire-control="0 button Two">Two</button></div><p>Second.</p></div></template>' +
    '<template data-quire-state="0 button One" data-quire-up="2"><div><div class="bar"><button data-quire-control="0 button One">One</button><button data-quire-control="0 button Two">Two</button></div><p>First.</p></div></template>' +
    '<template data-quire-state="0 button Why" data-quire-up="1" data-quire-toggles><section><button data-quire-control="0 button Why">Why</button><i>Because.</i></section></template>'
  const press = (...names: string[]) =>
    `(${JSON.stringify(names)}.forEach(name => [...document.querySelectorAll('button')].find(each => each.textContent === name).click()), document.body.innerText.replace(/\\s+/g, ' '))`

  test.each([
    [['Two'], 'OneTwo Second. Why'],
    [['Two', 'Two'], 'OneTwo Second. Why'],
    [['Two', 'One'], 'OneTwo First. Why'],
    [['Why'], 'OneTwo First. WhyBecause.'],
    [['Why', 'Two', 'Why', 'Why'], 'OneTwo Second. WhyBecause.'],
    [['Why', 'Why'], 'OneTwo First. Why'],
  ])('shows what it showed at the origin: %j', async (names, want) => {
    const shown = await evaluate(`${tabs}<section><button>Why</button></section>${states}`, press(...names))
    expect(String(shown).trim()).toBe(want)
  })
})
