/** An entry of the package: what users import, and the source file it is made from. */
interface Entry {
  /** The path that users import, such as `./node`; `.` = the package itself. */
  path: string
  /** From the top folder, without the ending. */
  source: string
}

/** The compiled entries of the package. */
export const entries: readonly Entry[] = [
  { path: '.', source: 'spec/package/client/index' },
  { path: './node', source: 'spec/package/client/node' },
  { path: './types', source: 'generated/openapi' },
  { path: './fixtures', source: 'generated/fixtures' },
  { path: './server', source: 'generated/operations' },
  { path: './express', source: 'spec/package/server/express' },
  { path: './fetch', source: 'spec/package/server/fetch' },
  { path: './mock', source: 'spec/package/mock/index' },
  { path: './msw', source: 'spec/package/mock/msw' },
  { path: './conformance', source: 'spec/package/conformance/index' },
  { path: './report', source: 'spec/package/report/command' },
  { path: './extensions', source: 'spec/package/client/extensions' },
  { path: './extensions/types', source: 'generated/extensions/openapi' },
  { path: './extensions/server', source: 'generated/extensions/operations' },
]

/** What only a program of the package imports. It is compiled as an ES module only. */
const programs = ['spec/package/mock-server/command']

/** Lists the source files that are compiled to a module format, without the ending. */
export function listSources(format: 'module' | 'commonjs'): string[] {
  return [...entries.map(({ source }) => source), ...(format === 'module' ? programs : [])]
}

/** The files of the package that are not compiled, by the path that users import. */
export const documents: Readonly<Record<string, string>> = {
  './openapi.json': './openapi.json',
  './openapi.yaml': './openapi.yaml',
  './extensions/openapi.json': './extensions/openapi.json',
  './openapi.dereferenced.json': './openapi.dereferenced.json',
  './lint-rules.yaml': './lint-rules.yaml',
  './workflows/export-site.arazzo.yaml': './workflows/export-site.arazzo.yaml',
  './package.json': './package.json',
}

const optional = ['express', 'express-openapi-validator']

/** What the package takes from the package.json of the repository. */
interface Repository {
  version: string
  license: string
  engines: Record<string, string>
  dependencies: Record<string, string>
}

/** Returns the package.json of the package. The versions of its dependencies are those of the repository. */
export function createManifest({ version, license, engines, dependencies }: Repository): object {
  const compiled = entries.map(({ path, source }) => [path, conditions(source)])
  const range = (names: readonly string[]) => Object.fromEntries(names.map(name => [name, `^${dependencies[name]}`]))
  const [main] = entries
  if (!main) throw new Error('The package has no entry.')
  return {
    name: 'quire-spec',
    version,
    description: 'The administration API of Quire: OpenAPI document, types, client, server stub and examples',
    license,
    type: 'module',
    sideEffects: false,
    bin: Object.fromEntries(['quire-conformance', 'quire-mock', 'quire-report'].map(name => [name, `./${name}.mjs`])),
    engines,
    exports: { ...Object.fromEntries(compiled), ...documents },
    // For TypeScript with "moduleResolution": "node10", which does not read exports.
    main: `./cjs/${main.source}.js`,
    types: `./cjs/${main.source}.d.ts`,
    typesVersions: {
      '*': Object.fromEntries(
        entries.slice(1).map(({ path, source }) => [path.slice('./'.length), [`./cjs/${source}.d.ts`]]),
      ),
    },
    dependencies: range(['openapi-fetch']),
    // Only ./express needs them.
    peerDependencies: range(optional),
    peerDependenciesMeta: Object.fromEntries(optional.map(name => [name, { optional: true }])),
  }
}

function conditions(source: string): object {
  const condition = (folder: string) => ({ types: `./${folder}/${source}.d.ts`, default: `./${folder}/${source}.js` })
  return { import: condition('esm'), require: condition('cjs') }
}
