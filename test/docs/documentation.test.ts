import { existsSync, readdirSync } from 'node:fs'
import { join, posix } from 'node:path'
import { describe, expect, test } from 'vitest'
import { routes as extensions } from '../../generated/extensions/operations.ts'
import { buildDocumentation } from '../../server/docs/documentation.ts'
import { renderMarkdown } from '../../server/docs/markdown.ts'
import { writtenPages } from '../../server/docs/pages.ts'
import { buildSitemap, listPages } from '../../server/docs/sitemap.ts'
import { files, repository, sources, texts, writeMissingPage } from './shipped-documentation.ts'

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
  expect(page('reportAgentJob')).toMatch(
    /<summary class="field"><code>source<\/code>[\s\S]*<code>repository<\/code>[^\n]*required/,
  )
  expect(page('archiveAgentJob')).toContain('needs the scope <code>write</code>.')
  expect(page('sendVisits')).toContain('--data-binary @access.log')
  expect(page('sendVisits')).toContain('open(&quot;access.log&quot;, &quot;rb&quot;)')
  const { body = '' } = files.get('/docs/extensions/schemas') ?? {}
  expect(body).toMatch(/<summary class="field"><code>unreadable<\/code>[\s\S]*<p class="field"><code>reason<\/code>/)
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
    '/docs/',
    '/docs/reference',
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
      if (url.origin !== base) return !/^(https:|data:image\/svg)/.test(address)
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

  test('every page has the same three scripts, and none has a picture, an inline script or an inline style', () => {
    const scripts = [...html.matchAll(/<script src="([^"]*)"(?: defer)?><\/script>/g)].map(([, src = '']) =>
      posix.basename(src),
    )
    expect(scripts).toEqual(['theme.js', 'docs.js', 'search.js'])
    expect(html.match(/<script/g)).toHaveLength(3)
    expect(html).not.toMatch(/<img|<style| style=| on\w+=/)
  })

  test('the page leads to its neighbours in the navigation', () => {
    const order = [...html.matchAll(/<a href="([^"]*)" data-page=/g)].map(
      ([, href = '']) => new URL(href, base + path).pathname,
    )
    const turns = order.filter(each => each !== '/docs/search')
    const at = turns.indexOf(path)
    const find = (rel: string) => {
      const [, href] = new RegExp(`<a rel="${rel}" href="([^"]*)"`).exec(html) ?? []
      return href === undefined ? undefined : new URL(href, base + path).pathname
    }
    expect(order).toEqual(expect.arrayContaining(listPages(files)))
    expect([find('prev'), find('next')]).toEqual(at < 0 ? [undefined, undefined] : [turns[at - 1], turns[at + 1]])
  })
})

test('the first page leads to three ways, and not to a clone of the repository', () => {
  const html = files.get('/docs/')?.body ?? ''
  const cards = [...html.matchAll(/<section class="card"[\s\S]*?<\/section>/g)].map(([card]) => card)
  expect(cards.map(card => /<h2[^>]*>(\w+)/.exec(card)?.[1])).toEqual(['Integrate', 'Run', 'Explore'])
  for (const card of cards) expect(card.match(/<a /g)?.length).toBeGreaterThan(3)
  expect(html).not.toContain('git clone')
})

test('pages link to the dashboard only if the server has one', () => {
  const { files: served, writeMissingPage: write } = buildDocumentation({ ...sources, hasDashboard: true })
  expect(served.get('/docs/')?.body).toContain(
    '<li data-quire-export="remove"><a href="../dashboard/">Open the dashboard</a></li>',
  )
  expect(served.get('/docs/operations/getAgentJob')?.body).toContain(
    '<a href="../../dashboard/" data-dashboard data-quire-export="remove">Dashboard</a>',
  )
  expect(write('/a')).toContain('<a href="dashboard/">Dashboard</a>')
  for (const { body } of files.values()) expect(body).not.toMatch(/href="[./]*dashboard\/"/)
})

test('pages link to their source if package.json names the repository', () => {
  const manifest = JSON.stringify({ repository: { type: 'git', url: 'git+https://forge.test/acme/quire.git' } })
  const readText: typeof sources.readText = file => (file === 'package.json' ? manifest : sources.readText(file))
  const { files: linked } = buildDocumentation({ ...sources, readText })
  const edit = (path: string) => /<a href="([^"]*)">Edit this page/.exec(linked.get(path)?.body ?? '')?.[1]
  expect(edit('/docs/operate')).toBe('https://forge.test/acme/quire/edit/HEAD/server/docs/pages/operate.md')
  expect(edit('/docs/operations/getAgentJob')).toBe('https://forge.test/acme/quire/edit/HEAD/spec/paths/agent-job.yaml')
  expect(edit('/docs/schemas')).toBeUndefined()
})

test('the page of an operation has its method, every answer, and a form without a value of a key', () => {
  const { body = '' } = files.get('/docs/operations/getAgentJob') ?? {}
  expect(body).toContain('<span class="method get">GET</span>')
  expect([...body.matchAll(/<section data-kind="\w+"><h3 id="(\d+)"/g)].map(([, status]) => status)).toEqual(
    Object.keys(sources.document.paths['/v2/agent/{projectId}/job/{id}']?.get?.responses ?? {}),
  )
  expect(body).toMatch(/<details class="try" hidden>/)
  expect(body).toContain('<form data-method="GET" data-path="/v2/agent/{projectId}/job/{id}" data-root="../../"')
  expect(body).toContain('<input type="password" name="key" autocomplete="off" spellcheck="false">')
})

test('the page of a missing address has links that work from there', () => {
  for (const path of ['/nothing', '/docs/a/b/c', '/docs/operations/x']) {
    const html = writeMissingPage(path)
    const links = [...html.matchAll(/ (?:href|src|action)="([^"#]+)"/g)].map(
      ([, href = '']) => new URL(href, base + path),
    )
    const dead = links.filter(({ protocol, pathname }) => protocol !== 'data:' && !files.has(pathname))
    expect(dead).toEqual([])
    expect(links.length).toBeGreaterThan(50)
  }
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
