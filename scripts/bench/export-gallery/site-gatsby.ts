import { builtSite, toFiles } from './built-site.ts'
import { addressOf, readDocuments, withFrontMatter } from './documents.ts'
import type { GallerySite } from './site.ts'

const node = `const path = require('path')
exports.createPages = async ({ graphql, actions }) => {
  const { data } = await graphql('{ allMarkdownRemark { nodes { id frontmatter { address } } } }')
  for (const { id, frontmatter } of data.allMarkdownRemark.nodes)
    actions.createPage({ path: frontmatter.address, component: path.resolve('src/document.js'), context: { id } })
}
`

const component = `import * as React from 'react'
import { graphql, Link } from 'gatsby'
export default function Document({ data }) {
  const [dark, setDark] = React.useState(false)
  React.useEffect(() => { document.body.style.background = dark ? '#111' : '' }, [dark])
  return (
    <div style={{ display: 'grid', gridTemplateColumns: '16rem 1fr' }}>
      <nav>
        <button aria-label="Change the theme" onClick={() => setDark(!dark)}>Theme</button>
        <ul>{data.all.nodes.map(({ frontmatter: { title, address } }) => <li key={address}><Link to={address}>{title}</Link></li>)}</ul>
      </nav>
      <main>
        <h1>{data.markdownRemark.frontmatter.title}</h1>
        <div dangerouslySetInnerHTML={{ __html: data.markdownRemark.html }} />
      </main>
    </div>
  )
}
export const query = graphql\`query ($id: String) {
  markdownRemark(id: { eq: $id }) { html frontmatter { title } }
  all: allMarkdownRemark(sort: { frontmatter: { address: ASC } }) { nodes { frontmatter { title address } } }
}\`
`

/** Gatsby: hydrated React whose pages load their data from JSON files. */
export const gatsbySite: GallerySite = builtSite({
  name: 'gatsby',
  description: 'Gatsby 5, Markdown by transformer-remark',
  async project(cacheFolder) {
    const documents = await readDocuments(cacheFolder, slug => addressOf(slug, '/', '/'))
    return {
      dependencies: {
        // Its plugins find the ajv of another package without this.
        ajv: '8.20.0',
        gatsby: '5.16.1',
        'gatsby-source-filesystem': '5.16.0',
        'gatsby-transformer-remark': '6.16.0',
        react: '18.3.1',
        'react-dom': '18.3.1',
      },
      type: 'commonjs',
      build: 'gatsby build',
      env: { GATSBY_TELEMETRY_DISABLED: '1' },
      files: {
        'gatsby-config.js': `module.exports = {
  plugins: [{ resolve: 'gatsby-source-filesystem', options: { path: __dirname + '/docs' } }, 'gatsby-transformer-remark'],
}
`,
        'gatsby-node.js': node,
        'src/document.js': component,
        ...toFiles(
          documents,
          ({ slug }) => `docs/${slug}.md`,
          document => withFrontMatter(document, { address: addressOf(document.slug, '/', '/') }),
        ),
      },
    }
  },
  out: 'public',
})
