import { Parser } from 'htmlparser2'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { pages } from '../../server/dashboard/pages/index.ts'
import { frameTexts } from '../../server/dashboard/texts/frame.ts'
import { createOrganization, startTestServer, type TestServer } from '../support/server.ts'
import { createPerson, type DashboardClient, signIn } from './dashboard-client.ts'

let server: TestServer
let own: { organizationId: string; projectId: string }
let other: { organizationId: string; projectId: string }
let member: DashboardClient
let operator: DashboardClient
beforeAll(async () => {
  server = await startTestServer()
  own = await createOrganization(server.store)
  other = await createOrganization(server.store)
  member = await signIn(server, await createPerson(server, own.organizationId))
  operator = await signIn(server, await createPerson(server, null, 'Operator'))
})
afterAll(() => server.dispose())

const actions = pages.flatMap(({ path, actions }) => Object.keys(actions ?? {}).map(name => `${path}/${name}`))
const fill = (path: string) => path.replaceAll(/:\w+/g, 'x')

describe('a form is refused, and changes nothing', () => {
  const forgeries: { about: string; headers: Record<string, string>; fields?: Record<string, string> }[] = [
    { about: 'from another site', headers: { 'Sec-Fetch-Site': 'cross-site' } },
    { about: 'from another host of the same site', headers: { 'Sec-Fetch-Site': 'same-site' } },
    {
      about: 'from another origin in an old browser',
      headers: { 'Sec-Fetch-Site': '', Origin: 'https://evil.example' },
    },
    { about: 'without the token', headers: {}, fields: { token: '' } },
    { about: 'with the token of another session', headers: {}, fields: { token: 'x'.repeat(43) } },
  ]
  test.each(forgeries)('$about', async ({ headers, fields }) => {
    await member.read(`${own.organizationId}/keys`)
    for (const action of actions) {
      const answer = await member.send(
        own.organizationId + fill(action),
        { name: 'forged', read: 'on', ...fields },
        headers,
      )
      expect([action, answer.status]).toEqual([action, 403])
    }
    expect(await server.store.apiKeys.list(own.organizationId)).toEqual([])
  })

  test('of a browser without a session', async () => {
    for (const action of actions) {
      const answer = await fetch(`${server.url}/dashboard/${own.organizationId}${fill(action)}`, {
        method: 'POST',
        body: new URLSearchParams({ name: 'forged' }),
        redirect: 'manual',
      })
      expect([action, answer.status]).toEqual([action, 303])
    }
  })

  test('sent as JSON, as text or in parts', async () => {
    for (const type of ['application/json', 'text/plain', 'multipart/form-data; boundary=x']) {
      const answer = await member.send(
        `${own.organizationId}/keys/generate`,
        { name: 'forged', read: 'on' },
        { 'Content-Type': type },
      )
      expect([type, answer.status]).toEqual([type, 403])
    }
  })
})

test('no page can be framed, run a script that is not the own one, or be kept by a cache', async () => {
  for (const { path } of pages) {
    const answer = await operator.open(`${own.organizationId}${path === '' ? '/' : fill(path)}`)
    const policy = answer.headers.get('content-security-policy') ?? ''
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).toContain("script-src 'self';")
    expect(policy).not.toContain('unsafe')
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(answer.headers.get('x-frame-options')).toBe('SAMEORIGIN')
    // Other sites get no referrer. With no-referrer, forms would have `Origin: null` over plain http.
    expect(answer.headers.get('referrer-policy')).toBe('same-origin')
  }
})

test('a member sees no page of another organization, and an operator sees all', async () => {
  for (const { path } of pages.filter(({ path }) => !path.includes(':'))) {
    const below = path === '' ? '/' : path
    expect([path, (await member.open(other.organizationId + below)).status]).toEqual([path, 404])
    expect([path, (await member.open(own.organizationId + below)).status]).toEqual([
      path,
      path === '/organizations' ? 404 : 200,
    ])
    expect([path, (await operator.open(other.organizationId + below)).status]).toEqual([path, 200])
  }
})

test('no form of a member changes another organization', async () => {
  await member.read(`${own.organizationId}/keys`)
  for (const action of actions) {
    const answer = await member.send(other.organizationId + fill(action), {
      name: 'x',
      read: 'on',
      id: other.projectId,
    })
    expect([action, answer.status]).toEqual([action, 404])
  }
})

test('a member cannot create projects and sites, set an origin, or delete a site', async () => {
  await server.store.sites.insert({ domain: 'own.example', projectId: own.projectId, origin: null, createdAt: 1 })
  await member.read(`${own.organizationId}/keys`)
  const send = async (path: string, fields: Record<string, string>) =>
    (await member.send(own.organizationId + path, fields)).status
  expect(await send('/projects/create', { name: 'Mine' })).toBe(404)
  expect(await send('/projects/create-site', { domain: 'a.example', project: own.projectId })).toBe(404)
  expect(await send('/projects/sites/own.example/origin', { origin: 'http://169.254.169.254/' })).toBe(404)
  expect(await send('/projects/sites/own.example/delete', {})).toBe(404)
  expect(await server.store.sites.find('own.example')).toMatchObject({ origin: null })
  expect(await member.read(`${own.organizationId}/projects`)).not.toContain('Create the project')
})

test('keys of another organization are not revoked, in whatever form their id is sent', async () => {
  const { createApiKey } = await import('../support/server.ts')
  const { keyId } = await createApiKey(server.store, other.organizationId)
  await member.read(`${own.organizationId}/keys`)
  for (const id of [keyId, keyId.toUpperCase(), ` ${keyId}`, `${keyId}\0`, encodeURIComponent(keyId)]) {
    expect((await member.send(`${own.organizationId}/keys/revoke`, { id })).status).toBe(404)
  }
  const fields = new URLSearchParams([
    ['id', keyId],
    ['id', 'key_0'],
  ])
  expect((await member.send(`${own.organizationId}/keys/revoke?${fields}`, {})).status).toBe(404)
  expect((await server.store.apiKeys.list(other.organizationId))[0]?.revokedAt).toBeNull()
})

test.each([
  '?organization=//evil.example',
  '?organization=https://evil.example/',
  '?next=https://evil.example',
  '?organization=..%2f..%2f',
])('%s leads nowhere else', async query => {
  const answer = await operator.open(query)
  expect(answer.headers.get('location')).toMatch(/^org_[0-9a-f]{16}\/$/)
})

/** Texts that would run a script, if a page put them into HTML, an attribute or an address without escaping. */
const payloads = [
  '<script>window.ran=1</script>',
  '"><script>window.ran=1</script>',
  "'><img src=x onerror=window.ran=1>",
  '<img src=x onerror="window.ran=1">',
  '<svg onload=window.ran=1>',
  '<svg><script>window.ran=1</script></svg>',
  '"onmouseover="window.ran=1" autofocus onfocus="window.ran=1',
  "' onfocus='window.ran=1' autofocus='",
  '</title><script>window.ran=1</script>',
  '</textarea><script>window.ran=1</script>',
  '</option></select><script>window.ran=1</script>',
  '</style><script>window.ran=1</script>',
  '<iframe srcdoc="<script>parent.ran=1</script>">',
  '<a href="javascript:window.ran=1">x</a>',
  'javascript:window.ran=1',
  'data:text/html,<script>window.ran=1</script>',
  '<math><mtext></form><form><mglyph><style></math><img src onerror=window.ran=1>',
  '<noscript><p title="</noscript><img src=x onerror=window.ran=1>">',
  '<details open ontoggle=window.ran=1>',
  '<video><source onerror=window.ran=1>',
  '<body onload=window.ran=1>',
  '<input autofocus onfocus=window.ran=1>',
  '<form action=javascript:window.ran=1><button>',
  '<object data=javascript:window.ran=1>',
  '<meta http-equiv=refresh content="0;url=https://evil.example">',
  '<base href=https://evil.example/>',
  '<link rel=stylesheet href=https://evil.example/x.css>',
  '<!--<script>window.ran=1//-->',
  '&lt;script&gt;window.ran=1&lt;/script&gt;',
  '{{constructor.constructor("window.ran=1")()}}',
  '<template><script>window.ran=1</script></template>',
  '<xmp><img src=x onerror=window.ran=1></xmp>',
]

test.each(payloads)('the text %s stays a text in every page', async text => {
  const name = text.slice(0, 99)
  const { organizationId } = await createOrganization(server.store)
  await operator.read(`${organizationId}/keys`)
  const answers = [
    await operator.send(`${organizationId}/keys/generate`, { name, read: 'on', expiry: '30' }),
    await operator.send(`${organizationId}/keys/generate`, { name, expiry: text }),
    await operator.send(`${organizationId}/projects/create`, { name }),
    await operator.send(`${organizationId}/projects/create-site`, { domain: text, project: text, origin: text }),
    await operator.send(`${organizationId}/people/add`, { name }),
  ]
  const texts = await Promise.all(answers.map(answer => answer.text()))
  for (const path of ['keys', 'projects', 'people', 'audit', ''])
    texts.push(await operator.read(`${organizationId}/${path}`))
  texts.push(
    await operator.read(`${organizationId}/keys?like=${encodeURIComponent(text)}&done=${encodeURIComponent(text)}`),
  )
  const shown = texts.filter(each => each.includes('window.ran'))
  if (text.includes('window.ran')) expect(shown.length).toBeGreaterThan(3)
  for (const page of texts) expect(listForeign(page)).toEqual([])
})

/** Lists the elements and attributes that no page of the dashboard has, as a browser would find them. */
function listForeign(page: string): string[] {
  const foreign: string[] = []
  const parser = new Parser({
    onopentag(name, attributes) {
      if (!ownElements.has(name)) foreign.push(name)
      for (const [attribute, value] of Object.entries(attributes)) {
        if (/^(?:on|srcdoc|style)/i.test(attribute)) foreign.push(`${name} ${attribute}`)
        const isAddress = ['href', 'src', 'action', 'formaction'].includes(attribute)
        if (isAddress && /^\s*(?:javascript|vbscript|data:text\/html|\/\/|https?:)/i.test(value)) foreign.push(value)
      }
      if (
        name === 'script' &&
        !/(?:static\/[\w-]+\/(?:dashboard|chart)|^(?:\.\.\/)+docs\/search)\.js$/.test(attributes.src ?? '')
      )
        foreign.push('script')
    },
  })
  // The one such element of the dashboard. A parser reads on after it in another way than a browser with scripts.
  parser.end(page.replace(`<noscript><p class="notice">${frameTexts.noScript}</p></noscript>`, ''))
  return foreign
}

const ownElements = new Set(
  `html head meta title link script body a header form label select option button input span details summary nav ul li main h1 h2
  h3 p div table caption thead tbody tr th td time code pre strong fieldset legend textarea dl dt dd progress meter ol`.split(
    /\s+/,
  ),
)
