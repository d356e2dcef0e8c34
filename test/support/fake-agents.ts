import { join } from 'node:path'
import type { Agent, RunLimits } from '../../server/agent/agent-settings.ts'

export const fakeAgentFile = join(import.meta.dirname, 'fake-agent.ts')
const packageFile = join(import.meta.dirname, '../../package.json')

/** Returns the scripted agent of `fake-agent.ts`. */
export function fakeAgent(mode: string, given = ''): Agent {
  return {
    name: 'fake',
    model: 'fake-1',
    command: [process.execPath, fakeAgentFile, mode, given],
    files: [process.execPath, fakeAgentFile, packageFile],
    env: { MODEL_URL: '{modelUrl}' },
  }
}

export const usualLimits: RunLimits = {
  timeoutMs: 60_000,
  memoryBytes: 1024 ** 3,
  processes: 60,
  diskBytes: 100 * 1024 ** 2,
  outputBytes: 20e6,
  events: 2000,
  modelCalls: 40,
  changedFiles: 10,
  changedLines: 100,
  fileBytes: 1e6,
}
