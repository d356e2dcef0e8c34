import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { maxEventCharacters } from '../agent-event.ts'
import type { Confinement } from '../agent-settings.ts'
import type { OpenedSource } from '../change/open-source.ts'
import { readTree } from '../change/take-change.ts'
import { readTreeFile } from '../change/walk-tree.ts'
import { RunError } from '../run-end.ts'
import type { AgentRunnerSettings } from '../runner-settings.ts'
import { runConfined } from '../session/run-confined.ts'
import type { EventBuffer } from './event-buffer.ts'
import { removeJobFolder } from './job-folders.ts'

interface CheckOptions {
  settings: AgentRunnerSettings
  confinement: Confinement
  opened: OpenedSource
  /** The folder of the job, in which git has the folder `git`. */
  folder: string
  events: EventBuffer
  signal: AbortSignal
}

/**
 * Runs the check of the operator, confined, on a copy of the tree: what a check builds is no change. The agent has ended.
 *
 * @returns the end of its output if it failed
 * @throws {RunError} also what `takeChange` throws for files that are never committed: they are not copied.
 */
export async function runCheck(command: string, options: CheckOptions): Promise<string | undefined> {
  const { settings, confinement, folder, events, signal } = options
  const work = join(folder, 'check')
  events.add({ kind: 'state', text: `Check the change: ${command}` })
  try {
    await copyTree(work, options)
    const { exitCode, output } = await runConfined({
      program: { command: ['/bin/sh', '-c', command], env: {}, files: settings.agent.files },
      ...{ confinement, work, home: join(folder, 'home'), limits: settings.limits, signal },
      lastBytes: maxEventCharacters,
    })
    const outcome = exitCode === 0 ? 'passed' : 'failed'
    events.add({ kind: 'check', text: output.slice(-maxEventCharacters), outcome })
    return exitCode === 0 ? undefined : output
  } finally {
    await removeJobFolder(work)
  }
}

/** Copies what would be committed. Only its files are read, so that no sparse file, FIFO or link of an agent does harm. */
async function copyTree(work: string, { settings, opened, folder, signal }: CheckOptions): Promise<void> {
  const { limits } = settings
  const { source, present, written } = await readTree(opened, {
    ...{ scratch: join(folder, 'git'), credential: null, signal, limits },
  })
  const writtenBytes = written.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
  if (writtenBytes > limits.diskBytes) {
    const most = Math.round(limits.diskBytes / 1024 ** 2)
    throw new RunError('change_limit', `The changed files have more than ${most} MB together.`)
  }
  await mkdir(work)
  for (const file of present) {
    signal.throwIfAborted()
    const place = join(work, file.path)
    await mkdir(dirname(place), { recursive: true })
    const pieces: Buffer[] = []
    await readTreeFile(opened.tree, file, piece => pieces.push(piece))
    const mode = source.files.get(file.path)?.mode === '100755' ? 0o755 : 0o644
    await writeFile(place, Buffer.concat(pieces), { mode })
  }
}
