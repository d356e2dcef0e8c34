import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { findFreePort } from '../../scripts/bench/find-free-port.ts'
import { parseAddressRange } from '../../server/base/address-range.ts'
import type { ServeFlags } from '../../server/flags/serve-settings.ts'
import { findNginx, startNginx } from '../support/nginx.ts'
import { json, openProxiedApi, type ProxiedApi, whyNoCertificate } from '../support/proxied-api.ts'

const found = findNginx()
const reason = 'missing' in found ? found.missing : whyNoCertificate
const page = readFileSync(join(import.meta.dirname, '../../server/docs/pages/operate.md'), 'utf8')
const [plain = '', belowPath = '', severalAddresses = ''] = [...page.matchAll(/```nginx\n([\s\S]*?)```/g)].map(
  ([, block = '']) => block,
)

let api: ProxiedApi
const ends: (() => unknown)[] = []

beforeAll(async () => {
  if (reason === undefined) api = await openProxiedApi()
})
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})
afterAll(() => api?.close())

/** Starts a server, and nginx with a configuration of the documentation, with only the files, the port and the server replaced. */
async function start(block: string, port: number, flags: Partial<ServeFlags>) {
  const { server, key } = await api.startServer(flags)
  ends.push(server.dispose)
  const text = block
    .replace('listen 443 ssl', `listen 127.0.0.1:${port} ssl`)
    .replace('/etc/ssl/quire/fullchain.pem', api.files.certificate)
    .replace('/etc/ssl/quire/privkey.pem', api.files.key)
    .replace('/var/log/nginx/quire.log', join(api.folder, 'access.log'))
    .replace('http://127.0.0.1:8787', server.url)
  ends.push(await startNginx(text, api.folder, () => api.ask(`https://api.example.com:${port}/`)))
  return key
}

describe.skipIf(reason !== undefined)(`behind nginx with TLS${reason ? `: ${reason}` : ''}`, () => {
  test('the configuration of the documentation serves the whole API', async () => {
    const port = await findFreePort()
    const base = `https://api.example.com:${port}`
    await api.expectEverything(base, await start(plain, port, { publicUrl: base }))
  })

  test('the one for a path serves it below the path', async () => {
    const port = await findFreePort()
    const base = `https://api.example.com:${port}/quire`
    await api.expectEverything(base, await start(belowPath, port, { publicUrl: `${base}/` }))
  })

  test('the one for several addresses gives each client links to the address that it used', async () => {
    const port = await findFreePort()
    const trustedProxies = [parseAddressRange('127.0.0.1')].filter(range => range !== undefined)
    const key = await start(severalAddresses, port, { trustedProxies })
    await api.expectEverything(`https://api.example.com:${port}`, key)
    await api.expectEverything(`https://api.example.net:${port}`, key)
    const forged = { 'X-Forwarded-Host': 'evil.example', 'X-Forwarded-Prefix': '/evil', Forwarded: 'host=evil.example' }
    const document = await api.ask(`https://api.example.com:${port}/openapi.json`, { headers: forged })
    expect(json(document).servers[0].url).toBe(`https://api.example.com:${port}`)
  })
})
