import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { nextMessage } from '../next-message.ts'
import type { AnswerPage, Question } from './question.ts'

export interface Answer {
  page: AnswerPage
  /** User and system time of all threads of the process, only for this answer. */
  cpuMs: number
  wallMs: number
  /** Peak memory of the process. */
  peakBytes: number
}

export interface AskedProcess {
  ask(question: Question): Promise<Answer>
  close(): Promise<void>
}

/** Starts a file of this folder that answers questions, see `answerQuestions`, as a separate process. */
export function startAsked(file: string, settings: object): AskedProcess {
  const child = fork(join(import.meta.dirname, file), [JSON.stringify(settings)], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  return {
    async ask(question) {
      child.send(question)
      return (await nextMessage(child, file)) as Answer
    },
    async close() {
      if (child.exitCode !== null || child.signalCode !== null) return
      const ended = once(child, 'exit')
      child.disconnect()
      await ended
    },
  }
}

/** Returns the settings that `startAsked` passed to this process. */
export function readSettings<Settings>(): Settings {
  return JSON.parse(process.argv[2] ?? '{}')
}

/** Answers the questions of the parent one after the other and measures each; exits when the parent ends. */
export function answerQuestions(answer: (question: Question) => AnswerPage | Promise<AnswerPage>): void {
  process.on('message', async (question: Question) => {
    const cpuBefore = process.cpuUsage()
    const startedAt = performance.now()
    const page = await answer(question)
    const wallMs = performance.now() - startedAt
    const { user, system } = process.cpuUsage(cpuBefore)
    const peakBytes = process.resourceUsage().maxRSS * 1024
    process.send?.({ page, cpuMs: (user + system) / 1000, wallMs, peakBytes } satisfies Answer)
  })
  process.on('disconnect', () => process.exit(0))
}
