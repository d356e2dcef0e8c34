import { parentPort, workerData } from 'node:worker_threads'
import { fileParsers } from './file-parsers.ts'
import { fragments, measureGrowth } from './growth.ts'
import { pageParsers } from './page-parsers.ts'

/** The text that the worker is about to repeat, or a text for which the time of the parser grows more than linearly. */
export interface GrowthNote {
  kind: 'begin' | 'fault'
  text: string
}

/** The collection of garbage decides shorter times. A longer text then decides whether the parser is linear. */
const briefMs = 2000

const parser = { ...pageParsers, ...fileParsers }[workerData as string]
const note = (message: GrowthNote) => parentPort?.postMessage(message)

for (const before of parser?.after ?? []) {
  for (const fragment of fragments) {
    const text = `${before} and ${JSON.stringify(fragment)} repeated`
    const parse = async (repeated: string) => {
      try {
        await parser?.parse(before + repeated)
      } catch (error) {
        // A parser may refuse a text, and may not run out of stack or memory.
        if (error instanceof RangeError) note({ kind: 'fault', text: `${text}: ${error.message}` })
        throw error
      }
    }
    note({ kind: 'begin', text })
    for (const { times, milliseconds, length } of await measureGrowth(parse, [fragment]))
      if (milliseconds > briefMs || (await takesQuadratically(parse, fragment, length)))
        note({ kind: 'fault', text: `${text}: ${times.toFixed(1)} times as long, ${Math.round(milliseconds)} ms` })
  }
}

/** Decides whether four times the text takes more than eight times as long, and seconds: sixteen times is quadratic. */
async function takesQuadratically(parse: (text: string) => unknown, fragment: string, length: number) {
  const measure = async (factor: number) => {
    const before = process.threadCpuUsage()
    await Promise.resolve(parse(fragment.repeat((factor * length) / fragment.length))).catch(() => {})
    const { user, system } = process.threadCpuUsage(before)
    return (user + system) / 1000
  }
  const shortMs = Math.max(await measure(1), await measure(1))
  // Other work on the machine makes the memory slower: the shorter of two times counts.
  const longMs = Math.min(await measure(4), await measure(4))
  return longMs > briefMs && longMs > 8 * shortMs
}
