import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { parseAddressRange } from '../../server/base/address-range.ts'
import { send } from '../support/client.ts'
import { addCompletedJob } from '../support/completed-job.ts'
import { createApiKey, createOrganization, startTestServer } from '../support/server.ts'
import { texts } from './shipped-documentation.ts'

// Runs the receiver of the page against a server that delivers the event.

const page = texts.get('server/docs/pages/webhooks.md') ?? ''
const [verify = '', deploy = ''] = [...page.matchAll(/```ts\n(.*?)```/gs)].map(([, code = '']) => code)
const hasUnzip = spawnSync('unzip', ['-v']).status === 0

/** A zip file in which `index.html` is `<h1>Home</h1>`. */
const bundle = Buffer.from(
  'UEsDBBQAAAAAAAAAdF1d5JYgDQAAAA0AAAAKAAAAaW5kZXguaHRtbDxoMT5Ib21lPC9oMT5QSwECFAMUAAAAAAAAAHRdXeSWIA0AAAANAAAACgAAAAAAAAAAAAAAgAEAAAAA' +
    'aW5kZXguaHRtbFBLBQYAAAAAAQABADgAAAA1AAAAAAA=',
  'base64',
)

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

test.runIf(hasUnzip)(
  'the shown receiver deploys an export when it is completed, and refuses a forged event',
  async () => {
    const port = await findFreePort()
    const range = parseAddressRange('127.0.0.1')
    if (!range) throw new Error('no address')
    const server = await startTestServer({ webhookAllowPrivate: { names: [], ranges: [range] } })
    onTestFinished(() => server.dispose())
    const folder = mkdtempSync(join(tmpdir(), 'quire-deploy-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const { organizationId } = await createOrganization(server.store)
    const { key } = await createApiKey(server.store, organizationId)
    const address = `http://127.0.0.1:${port}/quire`
    const { json } = await send(server.url, '/quire/v1/webhooks', {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ url: address, events: ['export.completed'] }),
    })

    writeFileSync(join(folder, 'verify.ts'), verify)
    writeFileSync(join(folder, 'deploy.ts'), deploy)
    const env = { QUIRE_URL: server.url, QUIRE_API_KEY: key, WEBHOOK_SECRET: String(json.secret), PORT: String(port) }
    const receiver = spawn(process.execPath, ['deploy.ts'], { cwd: folder, env: { ...process.env, ...env } })
    onTestFinished(async () => {
      receiver.kill()
      await once(receiver, 'exit')
    })
    let output = ''
    for (const stream of [receiver.stdout, receiver.stderr]) {
      stream.on('data', chunk => {
        output += chunk
      })
    }
    const forged = () => fetch(address, { method: 'POST', body: '{"type":"export.completed","data":{"jobId":"se_1"}}' })
    await vi.waitFor(async () => expect((await forged()).status).toBe(401), { timeout: 20_000, interval: 200 })

    const { jobId } = await addCompletedJob(server.store, server.dataFolder, organizationId, undefined, bundle)
    await vi.waitFor(() => expect(output).toBe(`deployed ${jobId}\n`), { timeout: 20_000, interval: 200 })
    expect(readFileSync(join(folder, 'current', 'index.html'), 'utf8')).toBe('<h1>Home</h1>')
  },
)
