import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'

/**
 * `npm run test:unit` runs the first, `npm test` the first three, `npm run test:all` also the next two, `npm run test:long` the last
 * two.
 */
export type ProjectName = 'unit' | 'app' | 'browser' | 'slow' | 'services' | 'long' | 'alone'

/** A file is in one of these by its name: `*.slow.test.ts`, at least 7 s on a usual machine; `*.long.test.ts`; `*.alone.test.ts`. */
const namedProjects = ['slow', 'long', 'alone'] as const
const projectNames: readonly ProjectName[] = ['unit', 'app', 'browser', 'services', ...namedProjects]

/** A test that imports one of these is a whole-app test. */
export const appImports = ['node:child_process', 'server/server.ts', 'server/export/export-site.ts']
/** The function that a test calls to find a Chromium. Its name decides, because a name survives when its file moves. */
export const browserFunction = 'findBrowser'
/** The functions that a test calls to find the programs of other teams that it needs. */
export const serviceFunctions = ['findPostgres', 'whyNoS3Server', 'findNginx', 'findCaddy']
/** The tests of the store use this file. They run on SQLite, and a second time on PostgreSQL. */
const storeTests = 'test/store/stores.ts'

const project = resolve(import.meta.dirname, '..')
const importPattern =
  /^(?:import|export)\s(?!type\s)([\w\s{},*$]*?)\sfrom\s+['"]([^'"]+)['"]|^import\s+['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]/gm

interface Import {
  /** The file that imports; like `from`, a path below the root of the project. */
  by: string
  /** A path, or the name of a package. */
  from: string
  names: string
}

/** Assigns the test files below a root to projects by their imports. Paths are relative to the root. */
export function listTests(root = project): Record<ProjectName, string[]> {
  const tests = Object.fromEntries(projectNames.map(name => [name, [] as string[]])) as Record<ProjectName, string[]>
  const files = globSync('test/**/*.test.ts', { cwd: root }).map(file => file.replaceAll('\\', '/'))
  for (const file of files.sort()) tests[classifyTest(file, root)].push(file)
  return tests
}

/** Lists the tests that run a second time, on PostgreSQL: those of the store, and those of requests that start a whole server. */
export function listPostgresTests(root = project): string[] {
  const files = globSync('test/{store,http,operations,contract}/**/*.test.ts', { cwd: root, exclude: isLong })
  const paths = files.map(file => file.replaceAll('\\', '/')).sort()
  return paths.filter(file => {
    const starter = file.startsWith('test/store/') ? storeTests : 'test/support/server.ts'
    return listImports(file, root).some(({ from }) => from === starter)
  })
}

const isLong = (file: string) => /\.(?:long|alone)\.test\.ts$/.test(file)

/**
 * Names the project of a test file: `slow`, `long` and `alone` by its name (`*.slow.test.ts`), `services` when it looks for a
 * PostgreSQL, an S3 storage, an nginx or a Caddy, `browser` when it looks for a Chromium or imports puppeteer, `app` when it starts a
 * program, a whole server or a whole export, otherwise `unit`. For `browser`, only imports by files in test/ count: scripts also
 * import these modules, often for other reasons.
 */
export function classifyTest(file: string, root = project): ProjectName {
  const named = namedProjects.find(name => file.endsWith(`.${name}.test.ts`))
  if (named) return named
  const imports = listImports(file, root)
  const usesService = ({ by, names }: Import) =>
    by !== storeTests && names.split(/\W+/).some(name => serviceFunctions.includes(name))
  if (imports.some(usesService)) return 'services'
  const usesBrowser = ({ by, from, names }: Import) =>
    by.startsWith('test/') && (from === 'puppeteer' || names.split(/\W+/).includes(browserFunction))
  if (imports.some(usesBrowser)) return 'browser'
  return imports.some(({ from }) => appImports.includes(from)) ? 'app' : 'unit'
}

/**
 * Lists what a file imports, itself or through other files of test/ and scripts/. It follows nothing into server/: most files
 * there can be used without the programs that they can start.
 */
function listImports(file: string, root: string, seen = new Set<string>()): Import[] {
  if (seen.has(file)) return []
  seen.add(file)
  const direct = parseImports(readFileSync(join(root, file), 'utf8'), file)
  const followed = direct.filter(({ from }) => /^(test|scripts)\/.*\.ts$/.test(from) && existsSync(join(root, from)))
  return [...direct, ...followed.flatMap(({ from }) => listImports(from, root, seen))]
}

/** Reads the imports of a source text, static and dynamic. Type-only imports are left out, because they do not exist at run time. */
export function parseImports(text: string, by: string): Import[] {
  return [...text.matchAll(importPattern)].map(([, names = '', named, bare, dynamic]) => {
    const target = named ?? bare ?? dynamic ?? ''
    const from = target.startsWith('.') ? relative(project, resolve(project, dirname(by), target)) : target
    return { by, from: from.replaceAll('\\', '/'), names }
  })
}
