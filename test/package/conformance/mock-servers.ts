import type { AddressInfo } from 'node:net'
import { generated } from '../../../mock/both-documents.ts'
import type { Settings } from '../../../spec/package/conformance/index.ts'
import { createMock, type MockOptions } from '../../../spec/package/mock/index.ts'
import { createMovingServer } from '../../../spec/package/mock-server/moving.ts'

/** Starts the mock that moves, in this process. */
export async function startMovingMock(options: MockOptions): Promise<{ url: string; close(): Promise<void> }> {
  const server = createMovingServer({ documents: generated, mock: createMock(options), allowsOrigin: () => false })
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      server.closeAllConnections()
      return new Promise(done => server.close(() => done()))
    },
  }
}

/** The settings for a mock: it knows the ids of the examples, and takes any key. */
export function mockSettings(url: string): Settings {
  return {
    url,
    key: 'any-key-of-the-mock',
    otherKey: undefined,
    readKey: undefined,
    writeKey: undefined,
    project: 'prj_5b1c2d3e4f506172',
    agentJob: 'aj_9c41d2e0b7a65f38',
    domain: 'docs.example.com',
    exportJob: 'se_0f3c9a1b2d4e5f60',
    seed: 20_251,
    maxRequests: 20,
    maxStarts: 2,
    timeoutMs: 10_000,
    maxWaitMs: 20_000,
    excluded: [],
  }
}
