/**
 * The layers of server/, top to bottom. A file may import only from lower lines and from its own folder; folders on the same
 * line must not import each other. `npm run generate` turns this table into lint rules.
 */
export const serverLayers: readonly (readonly string[])[] = [
  ['main.ts'],
  ['commands'],
  ['server.ts'],
  ['serving'],
  ['app.ts', 'flags', 'workers'],
  ['config.ts'],
  ['dashboard'],
  ['http'],
  ['operations'],
  ['store'],
  ['docs'],
  ['assets.ts'],
  ['export', 'analytics', 'agent', 'host', 'webhooks'],
  ['products'],
  ['web'],
  ['tenancy', 'unpack'],
  ['base', 'in-page'],
]

/** The layers within some folders of server/, by the same rule; '.' = the files directly in the folder. */
export const folderLayers: Readonly<Record<string, readonly (readonly string[])[]>> = {
  export: [
    ['jobs'],
    ['.'],
    ['compare', 'print'],
    ['bundle', 'check'],
    ['verify', 'search'],
    ['render'],
    ['crawl'],
    ['cache', 'archive'],
    ['pages'],
    ['runtime'],
    ['rewrite'],
    ['model'],
  ],
  agent: [['run'], ['change', 'session'], ['.']],
  commands: [['.'], ['completion', 'demo', 'doctor', 'licenses', 'self-update']],
  analytics: [['follow'], ['import', 'report'], ['drains'], ['envelopes'], ['counters', 'formats', 'agents'], ['.']],
  dashboard: [['http'], ['pages'], ['.'], ['parts', 'texts']],
  host: [['.'], ['mcp'], ['fetch', 'prepare', 'serve'], ['versions']],
  web: [['browser', 'fetch', 'javascript', 'markdown'], ['html', 'login'], ['.']],
  'in-page': [
    ['browser', 'dashboard', 'docs', 'guard', 'packed', 'products', 'runtime', 'search', 'views'],
    ['copying', 'outline', 'panels', 'theme'],
  ],
}

/** Packages that only some parts of server/ may import; other code uses those parts. */
export const packageOwners: Readonly<Record<string, readonly string[]>> = {
  '@agentclientprotocol/sdk': ['agent/session'],
  '@aws-sdk/client-s3': ['store'],
  '@aws-sdk/lib-storage': ['store'],
  '@aws-sdk/s3-request-presigner': ['store'],
  '@modelcontextprotocol/server': ['host/mcp', 'commands'],
  archiver: ['export/archive'],
  'better-sqlite3': ['store'],
  commander: ['main.ts', 'commands', 'flags'],
  express: ['app.ts', 'http', 'dashboard'],
  'express-openapi-validator': ['http'],
  pg: ['store'],
  pgpass: ['store'],
  'prom-client': ['serving'],
  puppeteer: ['web/browser'],
  'tar-stream': ['store', 'unpack'],
  undici: ['web/fetch'],
  yauzl: ['unpack'],
}

/** Folders outside server/ that no file of it may import. */
export const foreignFolders: readonly string[] = ['spec/package']

/** Folders that run in web browsers and in workers. They import no package and nothing of Node, also not through other files. */
export const portableFolders: readonly string[] = ['spec/package/mock']
