import { afterAll, beforeAll } from 'vitest'
import { send } from './client.ts'
import type { TestServer } from './server.ts'
import { createApiKey, createOrganization, startTestServer } from './server.ts'

/** A server with two organizations, whose answers are compared with the documents. */
export interface ExtensionsServer {
  server: TestServer
  organizationId: string
  projectId: string
  /** Keys for everything, for the visits and jobs of the project, and of another organization. */
  keys: { all: string; ingest: string; other: string }
  ask(
    method: string,
    path: string,
    body?: object,
    bearer?: string,
  ): Promise<{ status: number; json: Record<string, unknown> }>
  /** Adds a project to the organization. */
  addProject(): Promise<string>
}

/** Starts the server before the tests of a file, and stops it after them. */
export function useExtensionsServer(): ExtensionsServer {
  const used = {} as ExtensionsServer
  let count = 0
  beforeAll(async () => {
    const server = await startTestServer()
    const { organizationId, projectId } = await createOrganization(server.store)
    const other = await createOrganization(server.store)
    const { key: all } = await createApiKey(server.store, organizationId)
    const bound = { scopes: ['ingest' as const], projectIds: [projectId] }
    const { key: ingest } = await createApiKey(server.store, organizationId, bound)
    const { key: otherKey } = await createApiKey(server.store, other.organizationId)
    Object.assign(used, { server, organizationId, projectId, keys: { all, ingest, other: otherKey } })
  })
  afterAll(() => used.server.dispose())
  used.ask = async (method, path, body, bearer = used.keys.all) => {
    const headers = { Authorization: `Bearer ${bearer}`, ...(body && { 'Content-Type': 'application/json' }) }
    const init = { method, headers, ...(body && { body: JSON.stringify(body) }) }
    const { status, json } = await send(used.server.url, path, init)
    return { status, json }
  }
  used.addProject = async () => {
    const id = `prj_${String(++count).padStart(16, '0')}`
    const { organizationId } = used
    await used.server.store.projects.insert({
      id,
      organizationId,
      name: id,
      visitorSaltRotation: 'never',
      visitorRules: 2,
      createdAt: 0,
    })
    return id
  }
  return used
}
