import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, expect, test } from 'vitest'
import { findBrowser, installCommand } from '../../../server/web/browser/find-browser.ts'
import { exportFakeSite } from '../fake-site.ts'
import { type RunningServer, serveFolder, startServer } from '../static-server.ts'

const program = '/usr/bin/doxygen'
const scratch = mkdtempSync(join(tmpdir(), 'quire-doxygen-'))
let server: RunningServer | null = null

afterAll(async () => {
  await server?.close()
  rmSync(scratch, { recursive: true, force: true })
})

const letters = [...'bcdfghjklmnprstvw']
/** Makes classes whose names begin with many letters, because the index has one part for each first letter. */
const header = letters
  .map(letter => {
    const name = `${letter.toUpperCase()}ase`
    return `/** The class ${name}. */\nclass ${name} {\n public:\n  /** Opens ${name}. */\n  int ${letter}open(int number);\n};\n`
  })
  .join('\n')

// Long, because it builds a site with a real program and uses its search in all places.
test('the search of Doxygen finds the same in the bundle, also for words that nobody searched for during the export', async context => {
  if (!findBrowser()) context.skip(`needs a Chromium; install one with: ${installCommand()}`)
  if (!existsSync(program)) context.skip('needs Doxygen; install it with: apt-get install doxygen')
  mkdirSync(join(scratch, 'source'))
  writeFileSync(join(scratch, 'source', 'cases.h'), header)
  const settings =
    'INPUT = source\nEXTRACT_ALL = YES\nHTML_OUTPUT = out\nGENERATE_LATEX = NO\nQUIET = YES\nHAVE_DOT = NO\n'
  writeFileSync(join(scratch, 'Doxyfile'), `PROJECT_NAME = Cases\n${settings}`)
  await promisify(execFile)(program, ['Doxyfile'], { cwd: scratch, timeout: 60_000 })
  server = await startServer(serveFolder(join(scratch, 'out')))
  const { report, names } = await exportFakeSite(new URL('annotated.html', server.origin))
  expect(report.siteSearch?.words.length).toBeGreaterThan(0)
  for (const { word, origin, ...places } of report.siteSearch?.words ?? [])
    expect({ word, ...places }).toEqual({ word, root: origin, folder: origin, file: origin })
  const parts = names.filter(name => /^search\/(all|classes|functions)_\w+\.js$/.test(name))
  expect(parts.length).toBeGreaterThan(2 * letters.length)
})
