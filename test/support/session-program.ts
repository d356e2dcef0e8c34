// Runs a session of an agent as a program, so that tests can start it as another user. Prints its end as JSON.
import { readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { NewAgentEvent } from '../../server/agent/agent-event.ts'
import { RunError } from '../../server/agent/run-end.ts'
import { openSession } from '../../server/agent/session/agent-session.ts'
import { describeProgram } from '../../server/assets.ts'
import { createJobFolders } from './job-folders.ts'

const folders = createJobFolders(() => {})
const events: NewAgentEvent[] = []
let error: RunError | undefined
try {
  const session = await openSession({
    ...JSON.parse(process.argv[2] ?? ''),
    ...folders,
    relay: describeProgram('agent/session/relay'),
    onEvent: event => void events.push(event),
    signal: new AbortController().signal,
  })
  await session.prompt('Fix the typo in docs/a.md.').finally(() => session.close())
} catch (thrown) {
  if (!(thrown instanceof RunError)) throw thrown
  error = thrown
}
const page = readFileSync(join(folders.work, 'docs/a.md'), 'utf8')
rmSync(dirname(folders.work), { recursive: true, force: true })
console.log(JSON.stringify({ error: error && { code: error.code, message: error.message }, events, page }))
