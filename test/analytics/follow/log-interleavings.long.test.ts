import { existsSync } from 'node:fs'
import type * as files from 'node:fs/promises'
import { expect, test, vi } from 'vitest'
import fc from '../../support/fast-check.ts'
import { rounds } from '../../support/rounds.ts'
import {
  beginAnew,
  compress,
  copyTruncate,
  lines,
  log,
  name,
  poll,
  pollToEnd,
  rename,
  restart,
  useFollowedLog,
  warnings,
  write,
} from './followed-log.ts'

type Change = 'write' | 'rename' | 'copytruncate' | 'compress'

/** What changes the files while the follower works: called before each call of the file system. */
const between = vi.hoisted(() => ({ call: () => {} }))

vi.mock('node:fs/promises', async original => {
  const real = await original<typeof files>()
  return {
    ...real,
    readdir: (...args: Parameters<typeof real.readdir>) => {
      between.call()
      return real.readdir(...args)
    },
    stat: (...args: Parameters<typeof real.stat>) => {
      between.call()
      return real.stat(...args)
    },
    open: async (...args: Parameters<typeof real.open>) => {
      between.call()
      const handle = await real.open(...args)
      const read = handle.read.bind(handle)
      handle.read = ((...args: Parameters<typeof read>) => {
        between.call()
        return read(...args)
      }) as typeof handle.read
      return handle
    },
  }
})

useFollowedLog()

test('each line is returned once if files are written and rotated between any two steps of the follower', async () => {
  const change = fc.record({
    afterCalls: fc.integer({ min: 0, max: 40 }),
    changes: fc.array(fc.constantFrom<Change>('write', 'rename', 'copytruncate', 'compress'), {
      minLength: 1,
      maxLength: 3,
    }),
    thenRestart: fc.boolean(),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(change, { maxLength: 10 }), async schedule => {
      await beginAnew()
      let count = 0
      const apply = (step: Change) => {
        if (step === 'write') return write(`line ${count++}\n`)
        if (step === 'compress') {
          const number = [1, 2, 3].find(number => existsSync(name(number)))
          if (number !== undefined) compress(number)
        } else if (existsSync(log)) {
          if (step === 'rename') rename()
          else copyTruncate()
          write(`line ${count++}\n`)
        }
      }
      write(`line ${count++}\n`)
      await poll()
      for (const { afterCalls, changes, thenRestart } of schedule) {
        let calls = 0
        let isDone = false
        const make = () => {
          isDone = true
          for (const step of changes) apply(step)
        }
        between.call = () => {
          if (!isDone && calls++ >= afterCalls) make()
        }
        await poll()
        between.call = () => {}
        if (!isDone) make()
        if (thenRestart) await restart()
      }
      write(`line ${count++}\n`)
      await pollToEnd()
      expect(lines).toEqual(Array.from({ length: count }, (_, i) => `line ${i}`))
      expect(warnings).toEqual([])
    }),
    { numRuns: rounds(500) },
  )
})
