import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { findFreePort } from '../../scripts/bench/find-free-port.ts'
import { parseAddressRange } from '../../server/base/address-range.ts'
import type { ServeFlags } from '../../server/flags/serve-settings.ts'
import { findCaddy, startCaddy } from '../support/caddy.ts'
import { json, openProxiedApi, type ProxiedApi, whyNoCertificate } from '../support/proxied-api.ts'

const found = findCaddy()
const reason = 'missing' in found ? found.missing : whyNoCertificate
const page = readFileSync(join(import.meta.dirname, '../../server/docs/pages/operate.md'), 'utf8')
const [whole = '', belowPath = ''] = [...page.matchAll(/```caddyfile\n([\s\S]*?)```/g)].map(([, block = '']) => block)

let api: ProxiedApi
const ends: (() => unknown)[] = []

beforeAll(async () => {
  if (reason === undefined) api = await openProxiedApi()
})
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})
afterAll(() => api?.close())

/** Starts a server, and Caddy with a configuration of the documentation, with only the names, the certificate and the server replaced. */
async function start(text: string, port: number, flags: Partial<ServeFlags>) {
  const { server, key } = await api.startServer(flags)
  ends.push(server.dispose)
  const names = ['api.example.com', 'api.example.net'].map(name => `${name}:${port}`)
  const local = text
    .replace(/^api\.example\.com \{$/m, `${names.join(', ')} {\ntls ${api.files.certificate} ${api.files.key}`)
    .replace('/var/log/caddy/quire.log', join(api.folder, 'access.log'))
    .replace('127.0.0.1:8787', new URL(server.url).host)
  ends.push(await startCaddy(local, api.folder, () => api.ask(`https://api.example.com:${port}/`)))
  return { key, server }
}

describe.skipIf(reason !== undefined)(`behind Caddy with TLS${reason ? `: ${reason}` : ''}`, () => {
  test('the configuration of the documentation serves the whole API, and logs no secret', async () => {
    const port = await findFreePort()
    const base = `https://api.example.com:${port}`
    const { key } = await start(whole, port, { publicUrl: base })
    await api.expectEverything(base, key)
    const large = await api.ask(`${base}/v1/static-export/jobs`, {
      method: 'POST',
      headers: { ...key, 'Content-Type': 'application/json' },
      body: ' '.repeat(2_000_000),
    })
    expect(large.status).toBe(413)
    const logged = readFileSync(join(api.folder, 'access.log'), 'utf8')
    expect(logged).toContain('"uri":"/bundles/')
    for (const secret of ['signature', 'Authorization', key.Authorization]) expect(logged).not.toContain(secret)
  })

  test('the part for a path serves it below the path', async () => {
    const port = await findFreePort()
    const base = `https://api.example.com:${port}/quire`
    const text = whole.replace(/^ {4}reverse_proxy [\s\S]*?^ {4}\}$/m, belowPath)
    expect(text).toContain('handle_path')
    const { key } = await start(text, port, { publicUrl: `${base}/` })
    await api.expectEverything(base, key)
  })

  test('behind a trusted Caddy, each client gets links to the address that it used', async () => {
    const port = await findFreePort()
    const trustedProxies = [parseAddressRange('127.0.0.1')].filter(range => range !== undefined)
    const { key, server } = await start(whole, port, { trustedProxies })
    await api.expectEverything(`https://api.example.com:${port}`, key)
    await api.expectEverything(`https://api.example.net:${port}`, key)
    const forged = {
      'X-Forwarded-Host': 'evil.example',
      'X-Forwarded-Port': '1',
      'X-Forwarded-Prefix': '/evil',
      'X-Forwarded-For': '203.0.113.9',
      Forwarded: 'host=evil.example',
    }
    const document = await api.ask(`https://api.example.com:${port}/openapi.json`, { headers: forged })
    expect(json(document).servers[0].url).toBe(`https://api.example.com:${port}`)
    expect(JSON.stringify(server.logged)).not.toContain('203.0.113.9')
  })
})
