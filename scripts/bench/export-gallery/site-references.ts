import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { builtSite } from './built-site.ts'
import type { GallerySite } from './site.ts'

const document = join(import.meta.dirname, '../../../generated/openapi.json')

interface Reference {
  name: string
  description: string
  dependencies: Record<string, string>
  /** Files to copy from node_modules, by their name at the site. */
  assets: Record<string, string>
  head?: string
  body: string
  hydrated?: string
}

/** An API reference: one page that renders an OpenAPI document in the browser, and an ordinary page that links to it. */
function referenceSite({ name, description, dependencies, assets, head = '', body, hydrated }: Reference): GallerySite {
  const copies = Object.entries(assets).map(
    ([to, from]) => `cpSync('node_modules/${from}', 'out/${to}', { recursive: true })`,
  )
  return builtSite({
    name,
    description,
    project: async () => ({
      dependencies,
      build: 'node build.js',
      files: {
        'build.js': `import { cpSync } from 'node:fs'\n${copies.join('\n')}\n`,
        'out/openapi.json': await readFile(document, 'utf8'),
        'out/index.html': `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Docs</title></head>
<body><nav><a href="/reference/">Reference</a></nav><h1>Docs</h1><p>The reference describes every operation.</p></body></html>
`,
        'out/reference/index.html': `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Reference</title>${head}</head>
<body>${body}</body></html>
`,
      },
    }),
    out: 'out',
    isReference: true,
    ...(hydrated ? { hydrated } : {}),
  })
}

export const referenceSites: readonly GallerySite[] = [
  referenceSite({
    name: 'swagger-ui',
    description: 'Swagger UI 5, API reference',
    dependencies: { 'swagger-ui-dist': '5.35.0' },
    assets: {
      'swagger/swagger-ui.css': 'swagger-ui-dist/swagger-ui.css',
      'swagger/bundle.js': 'swagger-ui-dist/swagger-ui-bundle.js',
    },
    head: '<link rel="stylesheet" href="/swagger/swagger-ui.css">',
    body: `<div id="swagger-ui"></div><script src="/swagger/bundle.js"></script>
<script>SwaggerUIBundle({ url: '/openapi.json', dom_id: '#swagger-ui' })</script>`,
  }),
  referenceSite({
    name: 'scalar',
    description: 'Scalar, API reference',
    dependencies: { '@scalar/api-reference': '1.72.1' },
    assets: { 'scalar.js': '@scalar/api-reference/dist/browser/standalone.js' },
    body: `<div id="app"></div><script src="/scalar.js"></script>
<script>Scalar.createApiReference('#app', { url: '/openapi.json', withDefaultFonts: false })</script>`,
  }),
  referenceSite({
    name: 'redoc',
    description: 'Redoc 2, API reference',
    dependencies: { redoc: '2.5.1' },
    assets: { 'redoc.js': 'redoc/bundles/redoc.standalone.js' },
    body: `<redoc spec-url="/openapi.json"></redoc><script src="/redoc.js"></script>`,
  }),
  referenceSite({
    name: 'rapidoc',
    description: 'RapiDoc 9, API reference in a shadow root',
    dependencies: { rapidoc: '9.3.8' },
    assets: { 'rapidoc.js': 'rapidoc/dist/rapidoc-min.js' },
    body: `<rapi-doc spec-url="/openapi.json" load-fonts="false"></rapi-doc><script type="module" src="/rapidoc.js"></script>`,
  }),
  referenceSite({
    name: 'elements',
    description: 'Stoplight Elements 9, API reference',
    dependencies: { '@stoplight/elements': '9.0.25' },
    assets: {
      'elements.js': '@stoplight/elements/web-components.min.js',
      'elements.css': '@stoplight/elements/styles.min.css',
    },
    head: '<link rel="stylesheet" href="/elements.css"><script src="/elements.js"></script>',
    body: `<elements-api apiDescriptionUrl="/openapi.json" router="hash" layout="stacked"></elements-api>`,
  }),
]
