import { builtSite, toFiles } from './built-site.ts'
import { addressOf, readDocuments, withFrontMatter } from './documents.ts'
import type { NpmProject } from './npm-site.ts'
import type { GallerySite } from './site.ts'

const dependencies = {
  next: '16.4.6',
  nextra: '4.6.1',
  'nextra-theme-docs': '4.6.1',
  react: '19.3.1',
  'react-dom': '19.3.1',
  pagefind: '1.6.0',
  typescript: '5.9.3',
}

const layout = `import { Layout, Navbar } from 'nextra-theme-docs'
import { Head } from 'nextra/components'
import { getPageMap } from 'nextra/page-map'
import 'nextra-theme-docs/style.css'
export const metadata = { title: { default: 'Docs', template: '%s - Docs' } }
export default async function RootLayout({ children }) {
  return (
    <html lang="en" dir="ltr" suppressHydrationWarning>
      <Head />
      <body>
        <Layout navbar={<Navbar logo={<b>Docs</b>} />} pageMap={await getPageMap()}>{children}</Layout>
      </body>
    </html>
  )
}
`

const page = `import { generateStaticParamsFor, importPage } from 'nextra/pages'
import { useMDXComponents } from '../../mdx-components'
export const generateStaticParams = generateStaticParamsFor('mdxPath')
export async function generateMetadata(props) {
  const { mdxPath } = await props.params
  return (await importPage(mdxPath)).metadata
}
const Wrapper = useMDXComponents().wrapper
export default async function Page(props) {
  const params = await props.params
  const { default: Content, toc, metadata, sourceCode } = await importPage(params.mdxPath)
  return <Wrapper toc={toc} metadata={metadata} sourceCode={sourceCode}><Content {...props} params={params} /></Wrapper>
}
`

const components = `import { useMDXComponents as getComponents } from 'nextra-theme-docs'
export const useMDXComponents = components => ({ ...getComponents(), ...components })
`

async function project(cacheFolder: string, output: 'export' | 'server'): Promise<NpmProject> {
  const documents = await readDocuments(cacheFolder, slug => addressOf(slug))
  const settings = output === 'export' ? `output: 'export', images: { unoptimized: true }` : ''
  const site = output === 'export' ? 'out' : '.next/server/app'
  const target = output === 'export' ? 'out/_pagefind' : 'public/_pagefind'
  return {
    dependencies,
    // A later one refuses the children of the layout.
    overrides: { zod: '4.1.12' },
    // The server build by Turbopack takes over 15 minutes on 2 cores.
    build: `next build${output === 'server' ? ' --webpack' : ''} && pagefind --site ${site} --output-path ${target}`,
    files: {
      'next.config.mjs': `import nextra from 'nextra'\nexport default nextra({})({ ${settings} })\n`,
      'app/layout.jsx': layout,
      'app/[[...mdxPath]]/page.jsx': page,
      'mdx-components.js': components,
      ...toFiles(documents, ({ slug }) => `content/${slug}.md`, withHeading),
    },
  }
}

function withHeading(document: Parameters<typeof withFrontMatter>[0]): string {
  return withFrontMatter({ ...document, body: `# ${document.title}\n\n${document.body}` })
}

const search = {
  path: '/guides/testing',
  field: '.nextra-search input',
  hits: '.nextra-search-results [role=option], .nextra-search-results a',
  queries: ['hooks', 'validation', 'decorators'],
}

/** Next.js with server components, streamed by its own server, and the same project as static files. */
export const nextraSites: readonly GallerySite[] = [
  builtSite({
    name: 'nextra-start',
    description: 'Nextra 4 on Next.js 16, next start',
    project: cacheFolder => project(cacheFolder, 'server'),
    out: '.',
    serve: port => ['node_modules/next/dist/bin/next', 'start', '-H', '127.0.0.1', '-p', String(port)],
    search,
  }),
  builtSite({
    name: 'nextra-export',
    description: 'Nextra 4 on Next.js 16, output: export',
    project: cacheFolder => project(cacheFolder, 'export'),
    out: 'out',
    search,
  }),
]
