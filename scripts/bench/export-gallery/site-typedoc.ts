import { builtSite } from './built-site.ts'
import type { GallerySite } from './site.ts'

/** TypeDoc of a package with types. */
export const typedocSite: GallerySite = builtSite({
  name: 'typedoc',
  description: 'TypeDoc 0.28, the types of undici',
  project: async () => ({
    dependencies: { typedoc: '0.28.20', typescript: '5.9.3', 'undici-types': '7.16.0', '@types/node': '24.0.0' },
    build: 'typedoc',
    files: {
      'README.md': '# Types\n\nThe types of a client for HTTP.\n',
      'src/index.ts': `export * from 'undici-types'\n`,
      'tsconfig.json': '{"compilerOptions":{"module":"nodenext","strict":true,"skipLibCheck":true},"include":["src"]}',
      'typedoc.json': `{"entryPoints":["src/index.ts"],"out":"out","skipErrorChecking":true,"excludeExternals":false,"name":"Types"}`,
    },
  }),
  out: 'out',
  search: {
    path: '/modules.html',
    opener: '#tsd-search-trigger',
    field: '#tsd-search-input',
    hits: '#tsd-search-results li',
    queries: ['Agent', 'Dispatcher', 'WebSocket'],
  },
})
