import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { RunError } from '../../../server/agent/run-end.ts'
import { runConfined } from '../../../server/agent/session/run-confined.ts'
import { bubblewrap, confinements, prepareSession } from '../../support/agent-session.ts'
import { fakeAgent } from '../../support/fake-agents.ts'

function run(confinement: (typeof confinements)[number], script: string, more: { signal?: AbortSignal } = {}) {
  const options = prepareSession(fakeAgent(''), confinement, { ...more, limits: { outputBytes: 1e6 } })
  const program = { command: ['sh', '-c', script], env: { NAME: 'x' }, files: [] }
  return { options, result: runConfined({ ...options, program, lastBytes: 20 }) }
}

test.for(confinements)('a command has an exit code and the end of its output: %o', async confinement => {
  const { result, options } = run(confinement, 'echo out; echo err >&2; echo $NAME; touch made; exit 3')
  expect(await result).toEqual({ exitCode: 3, output: 'out\nerr\nx' })
  expect(existsSync(join(options.work, 'made'))).toBe(true)
  const long = run(confinement, 'seq 100000').result
  expect(await long).toEqual({ exitCode: 0, output: '99998\n99999\n100000' })
})

test.for(confinements)(
  'a command that is not found or is killed has the exit code of a shell: %o',
  async confinement => {
    expect((await run(confinement, 'no-such-command').result).exitCode).toBe(127)
    expect((await run(confinement, 'kill -9 $$').result).exitCode).toBe(137)
  },
)

test.for(confinements)('a command that writes too much is ended: %o', async confinement => {
  await expect(run(confinement, 'yes').result).rejects.toMatchObject({ code: 'resource_limit' })
})

test.for(confinements)('a command is ended with the reason of the signal: %o', async confinement => {
  const stopping = new AbortController()
  const { result } = run(confinement, 'sleep 1000 & wait', { signal: stopping.signal })
  setTimeout(() => stopping.abort(new RunError('time_limit', 'The time is up.')), 100)
  await expect(result).rejects.toMatchObject({ code: 'time_limit' })
})

test('a command ends although a process escaped with its output', async () => {
  // Without the variable of the run and without its parent, it cannot be found.
  const script = 'echo out; env -i setsid sh -c "sleep 20" & sleep 0.2; exit 0'
  const startedAt = performance.now()
  expect(await run({ kind: 'none' }, script).result).toEqual({ exitCode: 0, output: 'out' })
  expect(performance.now() - startedAt).toBeLessThan(10_000)
})

test.runIf(bubblewrap)('a confined command reaches no network and no other process', async () => {
  const { output } = await run(
    confinements[0] ?? { kind: 'none' },
    'ls /sys/class/net 2>&1 | wc -l; ls -d /proc/[0-9]* | wc -l',
  ).result
  expect(output.split('\n').map(Number)).toEqual([1, expect.toSatisfy(count => count < 7)])
})
