import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { openStore } from '../../../server/store/store.ts'
import { createId } from '../../../server/tenancy/id.ts'
import { createSecret, hashSecret, signInLinkMs } from '../../../server/tenancy/sign-in.ts'

/** A server with a dashboard, in a process of its own. */
export interface ServedDashboard {
  url: string
  dataFolder: string
  /** Makes a link that signs in an operator, once. */
  createLink(): Promise<string>
  close(): Promise<void>
}

const main = resolve(import.meta.dirname, '../../../server/main.ts')

export async function startDashboard(dataFolder: string): Promise<ServedDashboard> {
  const args = [main, 'serve', '--port', '0', '--drain-seconds', '0', '--log-style', 'json', '--data', dataFolder]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const url = await new Promise<string>((done, failed) => {
    let text = ''
    child.once('exit', () => failed(new Error(`The server ended before it listened:\n${text}`)))
    child.stdout.on('data', chunk => {
      text += chunk
      const found = /"url":"([^"]+)"/.exec(text)?.[1]
      if (found !== undefined) done(found)
    })
  })
  const person = { id: createId('usr'), organizationId: null, name: 'bench', createdAt: Date.now() }
  return {
    url,
    dataFolder,
    async createLink() {
      const token = createSecret()
      const now = Date.now()
      const store = openStore(dataFolder)
      if (!(await store.people.find(person.id))) await store.people.insert(person)
      const link = {
        tokenSha256: hashSecret(token),
        personId: person.id,
        createdAt: now,
        expiresAt: now + signInLinkMs,
      }
      await store.signInLinks.insert(link)
      store.close()
      return `${url}/dashboard/sign-in?token=${token}`
    },
    async close() {
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      await ended
    },
  }
}
