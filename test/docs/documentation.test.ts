import { existsSync, readdirSync } from 'node:fs'
import { join, posix } from 'node:path'
import { describe, expect, test } from 'vitest'
import { routes as extensions } from '../../generated/extensions/operations.ts'
import { renderMarkdown } from '../../server/docs/markdown.ts'
import { writtenPages } from '../../server/docs/pages.ts'
import { buildSitemap, listPages } from '../../server/docs/sitemap.ts'
import { files, repository, sources, texts } from './shipped-documentation.ts'

const base = 'http://docs.test'
const listIds = (html: string) => [...html.matchAll(/ id="([^"]*)"/g)].map(([, id = '']) => id)

test('an address of the local machine is text, not a link', () => {
  const readme =
    'It serves on http://127.0.0.1:8787 and [here](http://localhost:8787/docs/), see https://example.com/a.'
  const html = renderMarkdown(readme, { file: 'README.md', path: '/docs/' })
  expect(html).toContain('It serves on http://127.0.0.1:8787 and here, see <a href="https://example.com/a">')
})

test('the page of an operation has its scope, the fields inside objects, and a file as a body', () => {
  const page = (name: string) => files.get(`/docs/extensions/${name}`)?.body ?? ''
  expect(page('reportAgentJob')).toContain('needs the scope <code>ingest</code>, or <code>write</code>')
  expect(page('reportAgentJob')).toContain('<dt><code>source.repository</code> <span>required</span>')
  expect(page('archiveAgentJob')).toContain('needs the scope <code>write</code>.')
  expect(page('sendVisits')).toContain('--data-binary @access.log')
  expect(page('sendVisits')).toContain('open(&quot;access.log&quot;, &quot;rb&quot;)')
  expect(files.get('/docs/extensions/schemas')?.body).toContain('<code>unreadable[].reason</code>')
})

test('the page of errors has an anchor for every code, with its statuses, cause and remedy', () => {
  const html = files.get('/docs/errors')?.body ?? ''
  const { ErrorCode, FaultCode } = sources.document.components.schemas
  const codes = Object.keys({ ...ErrorCode?.['x-codes'], ...FaultCode?.['x-codes'] })
  expect(codes.length).toBeGreaterThan(40)
  expect(codes.filter(code => !listIds(html).includes(code))).toEqual([])
  expect(html).toContain('<dt id="malformed_request"><code>malformed_request</code> <span>400, 413</span></dt>')
  expect(html).toContain('<p>The body is not JSON text. Send a JSON object.</p>')
})

test('every Markdown file of the folder is a page', () => {
  const names = readdirSync(join(repository, 'server/docs/pages')).filter(name => name.endsWith('.md'))
  const listed = writtenPages.map(({ file }) => file).filter(file => file.startsWith('server/'))
  expect(listed.map(file => posix.basename(file)).sort()).toEqual(names.sort())
})

test('the site has every page once: the written ones, the operations, the schemas, the search', () => {
  const operations = [
    'getAgentJob',
    'getUniqueVisitors',
    'startStaticExportJob',
    'getStaticExportJob',
    'generateStaticExportBundle',
  ]
  const expected = [
    ...writtenPages.map(({ path }) => `/docs${path}`),
    ...operations.map(name => `/docs/operations/${name}`),
    ...extensions.map(({ operationId }) => `/docs/extensions/${operationId}`),
    '/docs/schemas',
    '/docs/extensions/schemas',
    '/docs/errors',
    '/docs/search',
  ]
  expect(listPages(files).sort()).toEqual(expected.sort())
  expect(buildSitemap(files, base).match(/<loc>/g)).toHaveLength(expected.length)
})

describe.each(listPages(files))('%s', path => {
  const html = files.get(path)?.body ?? ''

  test('every link, form and file of the page leads to a page, a heading or the web', () => {
    const addresses = [...html.matchAll(/ (?:href|src|action)="([^"]*)"/g)].map(([, address = '']) => address)
    const dead = addresses.filter(address => {
      const url = new URL(address, base + path)
      if (url.origin !== base) return !address.startsWith('https://')
      const target = files.get(url.pathname)
      return !target || (url.hash !== '' && !listIds(target.body).includes(decodeURIComponent(url.hash.slice(1))))
    })
    expect(dead).toEqual([])
    expect(addresses.length).toBeGreaterThan(20)
  })

  test('no two elements have the same id, and the navigation marks the page', () => {
    const ids = listIds(html)
    expect(ids).toEqual([...new Set(ids)])
    // Twice, because the menu for small screens marks the page, too.
    expect(html.match(/aria-current="page"/g)).toHaveLength(2)
  })

  test('every column of a table has a heading', () => {
    expect(html).not.toMatch(/<th[^>]*><\/th>/)
  })

  test('only the search page has a script, and no page has a picture or an inline style', () => {
    expect(html.match(/<script/g)?.length ?? 0).toBe(path === '/docs/search' ? 1 : 0)
    expect(html).not.toMatch(/<img|<style| style=/)
  })
})

describe.each([...texts])('%s', (file, text) => {
  const prose = text.replaceAll(/```[\s\S]*?```/g, '')

  test('every relative link names a file of the repository, and a heading in it', () => {
    const links = [...prose.matchAll(/\]\(([^)]+)\)/g)].map(([, href = '']) => href)
    const dead = links.filter(href => {
      if (href.startsWith('https://')) return false
      const [name = '', fragment] = href.split('#')
      const target = name === '' ? file : posix.join(posix.dirname(file), name)
      if (!existsSync(join(repository, target))) return true
      const headings = listIds(renderMarkdown(texts.get(target) ?? '', { file: target, path: '/docs/' }))
      return fragment !== undefined && !headings.includes(fragment)
    })
    expect(dead).toEqual([])
  })

  test('every named path of the repository exists', () => {
    const named = [...prose.matchAll(/`((?:server|spec|generated|scripts|test|mock)\/[\w./-]*)`/g)].map(
      ([, path = '']) => path,
    )
    expect(named.filter(path => !existsSync(join(repository, path)))).toEqual([])
  })
})

test('the README has at most 1,000 words', () => {
  const words = texts.get('README.md')?.split(/\s+/).filter(Boolean) ?? []
  expect(words.length).toBeGreaterThan(100)
  expect(words.length).toBeLessThanOrEqual(1000)
})

test('the README shows an existing picture of the documentation, with an alternative text', () => {
  const [, text = '', file = ''] = /!\[([^\]]+)\]\(([^)]+)\)/.exec(texts.get('README.md') ?? '') ?? []
  expect(text.length).toBeGreaterThan(20)
  expect(existsSync(join(repository, file))).toBe(true)
})
