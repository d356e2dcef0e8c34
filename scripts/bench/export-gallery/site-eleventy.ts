import { builtSite, toFiles } from './built-site.ts'
import { addressOf, readDocuments, withFrontMatter } from './documents.ts'
import type { GallerySite } from './site.ts'

const layout = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>{{ title }}</title><link rel="stylesheet" href="/style.css"></head>
<body>
<nav><ul>{% for page in collections.all %}<li><a href="{{ page.url }}">{{ page.data.title }}</a></li>{% endfor %}</ul></nav>
<main><h1>{{ title }}</h1>{{ content | safe }}</main>
</body>
</html>
`

/** Eleventy: plain HTML with a folder per page. */
export const eleventySite: GallerySite = builtSite({
  name: 'eleventy',
  description: 'Eleventy 3, plain HTML',
  async project(cacheFolder) {
    const documents = await readDocuments(cacheFolder, slug => addressOf(slug, '/', '/'))
    return {
      dependencies: { '@11ty/eleventy': '3.1.8' },
      build: 'eleventy',
      files: {
        'eleventy.config.js': `export default config => {
  config.addPassthroughCopy({ 'src/style.css': 'style.css' })
  return { dir: { input: 'src' }, markdownTemplateEngine: false }
}
`,
        'src/style.css': 'body { display: grid; grid-template-columns: 16rem 1fr }\n',
        'src/_includes/page.njk': layout,
        ...toFiles(
          documents,
          ({ slug }) => `src/${slug}.md`,
          document => withFrontMatter(document, { layout: 'page.njk' }),
        ),
      },
    }
  },
  out: '_site',
})
