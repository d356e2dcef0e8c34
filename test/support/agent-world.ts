import { expect } from 'vitest'
import { send } from './client.ts'
import { createDocsRepository, type DocsRepository } from './docs-repository.ts'
import { createApiKey, createOrganization, startTestServer, type TestServer } from './server.ts'

const files = { 'docs/a.md': '# A\n\nThis is teh page.\n', 'secret/b.md': '# B\n' }
export const wait = (ms: number) => new Promise(done => setTimeout(done, ms))

/** A server that lets an agent work, with a project and its repository. */
export interface World {
  server: TestServer
  repository: DocsRepository
  organizationId: string
  projectId: string
  key: string
}

export async function openWorld(flags: Parameters<typeof startTestServer>[0]): Promise<World> {
  const server = await startTestServer({ agentUnconfined: true, ...flags })
  const repository = createDocsRepository(files)
  const { organizationId, projectId } = await createOrganization(server.store)
  const { key } = await createApiKey(server.store, organizationId)
  const world = { server, repository, organizationId, projectId, key }
  await putSource(world, projectId)
  return world
}

async function putSource({ server, repository }: World, projectId: string): Promise<void> {
  const page = 'https://git.example.com/acme/docs'
  const source = { projectId, url: repository.path, page, branch: 'main', folders: ['docs'], isDraft: false }
  await server.store.agentSources.put({ ...source, forge: 'branch' }, null)
}

export async function closeWorld({ server, repository }: World): Promise<void> {
  await server.dispose()
  repository.dispose()
}

export function ask({ server, key }: World, method: string, path: string, body?: object, headers: object = {}) {
  const type = body && { 'Content-Type': 'application/json' }
  const text = body && { body: JSON.stringify(body) }
  return send(server.url, path, { method, headers: { Authorization: `Bearer ${key}`, ...type, ...headers }, ...text })
}

export const runPath = (projectId: string, id: unknown, part: string) =>
  `/quire/v1/projects/${projectId}/agent-jobs/${id}/${part}`

export async function untilEnded(world: World, id: unknown): Promise<Record<string, unknown>> {
  for (let i = 0; i < 200; i++) {
    const { json } = await ask(world, 'GET', runPath(world.projectId, id, 'run'))
    if (json.state === 'ended') return json
    await wait(100)
  }
  throw new Error('The run did not end.')
}

/** Parses server-sent events; the last one may be cut. */
export function readEvents(text: string): { sequence: number; kind: string; text: string }[] {
  return [...text.matchAll(/^id: (\d+)\ndata: (.*)$/gm)].map(([, id, data]) => {
    const event = JSON.parse(data as string)
    expect(event.sequence).toBe(Number(id))
    return event
  })
}
