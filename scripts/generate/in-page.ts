import { join, sep } from 'node:path'
import { rolldown } from 'rolldown'

/** A script that runs inside pages: the default export of a file. */
interface InPageScript {
  name: string
  /** Path in server/in-page/. */
  file: string
  /** The version of JavaScript that the browser must support. */
  target: string
}

// The guard decides whether the scripts of a page run, so it must work in every browser that a visitor may use.
const oldBrowsers = 'es2015'
const currentBrowsers = 'es2022'

const scripts: readonly InPageScript[] = [
  { name: 'guardPage', file: 'guard/guard-page.ts', target: oldBrowsers },
  { name: 'refuseScripts', file: 'products/refuse-scripts.ts', target: currentBrowsers },
  { name: 'startApp', file: 'guard/start-app.ts', target: oldBrowsers },
  { name: 'followRedirect', file: 'guard/follow-redirect.ts', target: oldBrowsers },
  { name: 'runPage', file: 'runtime/page-runtime.ts', target: currentBrowsers },
  { name: 'loadPages', file: 'runtime/load-pages.ts', target: currentBrowsers },
  { name: 'redirectRequests', file: 'runtime/redirect-requests.ts', target: currentBrowsers },
  { name: 'servePacked', file: 'packed/serve-packed.ts', target: currentBrowsers },
  { name: 'startWorker', file: 'packed/start-worker.ts', target: currentBrowsers },
  { name: 'startSearch', file: 'search/start-search.ts', target: currentBrowsers },
  { name: 'searchDocs', file: 'search/search-docs.ts', target: currentBrowsers },
  { name: 'runDocs', file: 'docs/run-docs.ts', target: currentBrowsers },
  { name: 'showStoredTheme', file: 'docs/show-theme.ts', target: currentBrowsers },
  { name: 'countViews', file: 'views/count-views.ts', target: currentBrowsers },
  { name: 'runDashboard', file: 'dashboard/run-dashboard.ts', target: currentBrowsers },
  { name: 'watchPage', file: 'browser/watch-page.ts', target: currentBrowsers },
  { name: 'waitForQuiet', file: 'browser/wait-for-quiet.ts', target: currentBrowsers },
  { name: 'scrollThrough', file: 'browser/scroll-through.ts', target: currentBrowsers },
  { name: 'learnOutline', file: 'browser/learn-outline.ts', target: currentBrowsers },
  { name: 'pressTheme', file: 'browser/press-theme.ts', target: currentBrowsers },
  { name: 'restoreLogin', file: 'browser/restore-login.ts', target: currentBrowsers },
  { name: 'readColours', file: 'browser/read-colours.ts', target: currentBrowsers },
  { name: 'readSeen', file: 'browser/read-seen.ts', target: currentBrowsers },
  { name: 'readVisibleText', file: 'browser/read-visible-text.ts', target: currentBrowsers },
  { name: 'readMenuText', file: 'browser/read-menu-text.ts', target: currentBrowsers },
  { name: 'findSearch', file: 'browser/find-search.ts', target: currentBrowsers },
  { name: 'readHits', file: 'browser/read-hits.ts', target: currentBrowsers },
  { name: 'openReferences', file: 'browser/open-references.ts', target: currentBrowsers },
  { name: 'keepPanels', file: 'browser/keep-panels.ts', target: currentBrowsers },
  { name: 'copyPanels', file: 'browser/copy-panels.ts', target: currentBrowsers },
  { name: 'pressControls', file: 'browser/press-controls.ts', target: currentBrowsers },
  { name: 'followLink', file: 'browser/follow-link.ts', target: currentBrowsers },
  { name: 'readHeading', file: 'browser/read-heading.ts', target: currentBrowsers },
  { name: 'tryControls', file: 'browser/try-controls.ts', target: currentBrowsers },
  { name: 'freezeReferences', file: 'browser/freeze-references.ts', target: currentBrowsers },
  { name: 'serializePage', file: 'browser/serialize-page.ts', target: currentBrowsers },
]

/**
 * Writes the text of generated/in-page.ts. Each script is bundled and minified into an expression whose value is its function.
 * The same sources give the same bytes.
 *
 * @param folder absolute path of server/in-page
 * @throws {Error} for a script that cannot be built, or that could end the script element around it or comment it out.
 */
export async function writeInPageScripts(folder: string): Promise<string> {
  const written: string[] = []
  for (const script of scripts) {
    const text = JSON.stringify(await build(folder, script))
    written.push(`\n/** From server/in-page/${script.file}. */\nexport const ${script.name} =\n  ${text}\n`)
  }
  return `// Call them with server/base/call-script.ts.\n${written.join('')}`
}

async function build(folder: string, { file, target }: InPageScript): Promise<string> {
  const bundle = await rolldown({
    input: join(folder, file),
    platform: 'browser',
    tsconfig: false,
    transform: { target },
  })
  try {
    const options = { format: 'iife', name: 'script', exports: 'default', minify: true, comments: false } as const
    const [{ code, moduleIds }, ...others] = (await bundle.generate(options)).output
    // The ids of modules of rolldown begin with a null character.
    const outside = moduleIds.find(id => !id.startsWith(folder + sep) && !id.startsWith('\0'))
    if (outside !== undefined)
      throw new Error(`${file} imports ${outside}. It may import only modules of server/in-page/.`)
    const expression = /^var script=(\(function\(\)\{.*\}\)\(\));\s*$/s.exec(code)?.[1]
    if (expression === undefined || others.length > 0)
      throw new Error(`${file} must be one script with a default export.`)
    return toInlineText(expression, file)
  } finally {
    await bundle.close()
  }
}

/** Escapes a script, so that it can be put into a script element of a page in any encoding. */
function toInlineText(script: string, file: string): string {
  // Only strings, templates and regular expressions contain such characters, and all three support these escapes.
  const text = script
    .replace(/[^\0-\x7f]/g, unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .replace(/<\/(?=script)/gi, '<\\/')
  if (text.includes('<!--')) throw new Error(`${file} contains <!--, which starts a comment in HTML. Remove it.`)
  return text
}
