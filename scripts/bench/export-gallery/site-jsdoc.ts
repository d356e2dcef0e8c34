import { builtSite } from './built-site.ts'
import type { GallerySite } from './site.ts'

/** JSDoc of a package whose sources have comments. */
export const jsdocSite: GallerySite = builtSite({
  name: 'jsdoc',
  description: 'JSDoc 4, the sources of lodash and leaflet',
  project: async () => ({
    dependencies: { jsdoc: '4.0.5', lodash: '4.17.21', leaflet: '1.9.4' },
    build: 'jsdoc node_modules/lodash/lodash.js node_modules/leaflet/src -r -d out',
    files: { 'README.md': '# Reference\n' },
  }),
  out: 'out',
})
