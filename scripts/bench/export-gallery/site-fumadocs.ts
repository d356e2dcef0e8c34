import { builtSite, toFiles } from './built-site.ts'
import { addressOf, readDocuments, withFrontMatter, withKnownLanguages } from './documents.ts'
import type { NpmProject } from './npm-site.ts'
import type { GallerySite } from './site.ts'

const dependencies = {
  next: '16.4.6',
  'fumadocs-core': '16.15.13',
  'fumadocs-ui': '16.15.13',
  'fumadocs-mdx': '15.4.3',
  '@types/mdx': '2.0.13',
  '@types/node': '24.0.0',
  '@types/react': '19.2.2',
  '@tailwindcss/postcss': '4.3.5',
  tailwindcss: '4.3.5',
  react: '19.3.1',
  'react-dom': '19.3.1',
  typescript: '5.9.3',
}

const layout = (search: string) => `import './global.css'
import { RootProvider } from 'fumadocs-ui/provider/next'
import { DocsLayout } from 'fumadocs-ui/layouts/docs'
import { source } from '../lib/source'
export default function Layout({ children }) {
  return (
    <html lang="en" suppressHydrationWarning>
      <body className="flex flex-col min-h-screen">
        <RootProvider search={{ options: { type: '${search}' } }}>
          <DocsLayout tree={source.pageTree} nav={{ title: 'Docs' }}>{children}</DocsLayout>
        </RootProvider>
      </body>
    </html>
  )
}
`

const page = `import { source } from '../../lib/source'
import { DocsBody, DocsPage, DocsTitle } from 'fumadocs-ui/page'
import defaultComponents from 'fumadocs-ui/mdx'
import { notFound } from 'next/navigation'
export default async function Page(props) {
  const { slug } = await props.params
  const found = source.getPage(slug)
  if (!found) notFound()
  const Content = found.data.body
  return (
    <DocsPage toc={found.data.toc}>
      <DocsTitle>{found.data.title}</DocsTitle>
      <DocsBody><Content components={defaultComponents} /></DocsBody>
    </DocsPage>
  )
}
export const generateStaticParams = () => source.generateParams()
export async function generateMetadata(props) {
  const { slug } = await props.params
  return { title: source.getPage(slug)?.data.title }
}
`

const tabs = `---
title: Tabs
---
import { Tab, Tabs } from 'fumadocs-ui/components/tabs'

<Tabs items={['npm', 'yarn']}>
  <Tab>Install with npm here.</Tab>
  <Tab>Install with yarn here.</Tab>
</Tabs>
`

async function project(cacheFolder: string, output: 'export' | 'server'): Promise<NpmProject> {
  const documents = await readDocuments(cacheFolder, slug => addressOf(slug))
  const isStatic = output === 'export'
  return {
    dependencies,
    // Turbopack takes over 15 minutes on 2 cores.
    build: 'next build --webpack',
    files: {
      'next.config.mjs': `import { createMDX } from 'fumadocs-mdx/next'
export default createMDX()({ ${isStatic ? `output: 'export', images: { unoptimized: true }` : ''} })
`,
      'postcss.config.mjs': `export default { plugins: { '@tailwindcss/postcss': {} } }\n`,
      'lib/source.js': `import { defineDocs } from 'fumadocs-mdx/macro'
import { loader } from 'fumadocs-core/source'
const docs = defineDocs({ dir: 'content/docs' })
export const source = loader({ baseUrl: '/', source: docs.toFumadocsSource() })
`,
      'app/global.css': `@import 'tailwindcss';\n@import 'fumadocs-ui/css/neutral.css';\n@import 'fumadocs-ui/css/preset.css';\n`,
      'app/layout.jsx': layout(isStatic ? 'static' : 'fetch'),
      'app/[[...slug]]/page.jsx': page,
      'app/api/search/route.js': `import { source } from '../../../lib/source'
import { createFromSource } from 'fumadocs-core/search/server'
export const revalidate = false
export const { ${isStatic ? 'staticGET: GET' : 'GET'} } = createFromSource(source)
`,
      'content/docs/tabs.mdx': tabs,
      ...toFiles(
        documents,
        ({ slug }) => `content/docs/${slug}.md`,
        document => withKnownLanguages(withFrontMatter(document)),
      ),
    },
  }
}

const search = {
  path: '/guides/testing',
  opener: 'button[data-search-full], button[data-search]',
  field: '[role=dialog] input',
  hits: '[role=dialog] [role=option], [role=dialog] button[aria-selected]',
  queries: ['hooks', 'validation', 'decorators'],
}

/** Next.js with server components and Tailwind, by its own server, and the same project as static files. */
export const fumadocsSites: readonly GallerySite[] = [
  builtSite({
    name: 'fumadocs-start',
    description: 'Fumadocs 16 on Next.js 16, next start',
    project: cacheFolder => project(cacheFolder, 'server'),
    out: '.',
    serve: port => ['node_modules/next/dist/bin/next', 'start', '-H', '127.0.0.1', '-p', String(port)],
    // Its search asks the server, so no bundle can have it.
  }),
  builtSite({
    name: 'fumadocs-export',
    description: 'Fumadocs 16 on Next.js 16, output: export',
    project: cacheFolder => project(cacheFolder, 'export'),
    out: 'out',
    search,
  }),
]
