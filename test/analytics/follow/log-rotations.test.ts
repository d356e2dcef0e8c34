import { readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import fc from '../../support/fast-check.ts'
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

useFollowedLog()

/** Name, rotation, and the lines read after it. Before it, `a` and `b` were read and `c` was not. */
const rotations: [string, () => Promise<void> | void, string[]][] = [
  [
    'a rename',
    () => {
      rename()
      write('d\n')
    },
    ['c', 'd'],
  ],
  [
    'a rename to a name with the date',
    () => {
      renameSync(log, `${log}-20261121`)
      write('d\n')
    },
    ['c', 'd'],
  ],
  [
    'a rename, with lines for the old file after it',
    async () => {
      rename()
      write('d\n')
      await poll()
      write('late\n', name(1))
    },
    ['c', 'late', 'd'],
  ],
  [
    'a rename of a file that was idle for long, with a line for the old file after it',
    async () => {
      rename()
      utimesSync(name(1), 1_700_000_000, 1_700_000_000)
      write('d\n')
      await poll()
      write('late\n', name(1))
    },
    ['c', 'late', 'd'],
  ],
  [
    'a rename in the middle of a line',
    async () => {
      write('hal')
      rename()
      write('d\n')
      await poll()
      write('f\n', name(1))
    },
    ['c', 'half', 'd'],
  ],
  [
    'a rename after which the last line never ends',
    () => {
      write('hal')
      rename()
      write('d\n')
    },
    ['c', 'hal', 'd'],
  ],
  [
    'a rename and no new file',
    () => {
      rename()
      write('d\n', name(1))
    },
    ['c', 'd'],
  ],
  [
    'two renames between two polls',
    () => {
      rename()
      write('d\n')
      rename()
      write('e\n')
    },
    ['c', 'd', 'e'],
  ],
  [
    'three renames, one of an empty file, and the last file is empty',
    () => {
      rename()
      write('')
      rename()
      write('d\n')
      rename()
      write('')
    },
    ['c', 'd'],
  ],
  [
    'copytruncate',
    () => {
      copyTruncate()
      write('d\n')
    },
    ['c', 'd'],
  ],
  ['copytruncate, and nothing after it', copyTruncate, ['c']],
  [
    'copytruncate, and a file that is larger than before',
    () => {
      copyTruncate()
      write('d\nsomething longer than all that was there\n')
    },
    ['c', 'd', 'something longer than all that was there'],
  ],
  [
    'copytruncate, and a file of the same size',
    () => {
      copyTruncate()
      write('D\nE\nF\n')
    },
    ['c', 'D', 'E', 'F'],
  ],
  [
    'copytruncate twice',
    () => {
      copyTruncate()
      write('d\n')
      copyTruncate()
      write('e\n')
    },
    ['c', 'd', 'e'],
  ],
  [
    'copytruncate after a rename',
    () => {
      rename()
      write('d\n')
      copyTruncate()
      write('e\n')
    },
    ['c', 'd', 'e'],
  ],
  [
    'a rename after copytruncate',
    () => {
      copyTruncate()
      write('d\n')
      rename()
      write('e\n')
    },
    ['c', 'd', 'e'],
  ],
  [
    'a rename and compression',
    () => {
      rename()
      compress(1)
      write('d\n')
    },
    ['c', 'd'],
  ],
  [
    'copytruncate and compression',
    () => {
      copyTruncate()
      compress(1)
      write('d\n')
    },
    ['c', 'd'],
  ],
  [
    'three renames, each compressed',
    () => {
      for (const next of ['d\n', 'e\n', 'f\n']) {
        rename()
        compress(1)
        write(next)
      }
    },
    ['c', 'd', 'e', 'f'],
  ],
  [
    'a rename, and half a compressed file beside the whole file',
    async () => {
      rename()
      const whole = gzipSync(readFileSync(name(1)))
      writeFileSync(`${name(1)}.gz`, whole.subarray(0, whole.length / 2))
      write('d\n')
      await poll()
      writeFileSync(`${name(1)}.gz`, whole)
      rmSync(name(1))
    },
    ['c', 'd'],
  ],
]

describe.each([
  ['without a restart', async () => {}],
  ['with a restart', restart],
  [
    'with several restarts',
    async () => {
      for (let i = 0; i < 3; i++) {
        await restart()
        await poll()
      }
      await restart()
    },
  ],
])('%s', (_, afterwards) => {
  test.each(rotations)('%s neither loses nor repeats a line', async (_, rotate, expected) => {
    write('a\nb\n')
    await poll()
    write('c\n')
    await rotate()
    await afterwards()
    await pollToEnd()
    expect(lines).toEqual(['a', 'b', ...expected])
    expect(warnings).toEqual([])
    write('last\n')
    await pollToEnd()
    expect(lines).toEqual(['a', 'b', ...expected, 'last'])
  })

  test.each(rotations)('%s after all lines were read', async (_, rotate, expected) => {
    write('a\nb\nc\n')
    await poll()
    await rotate()
    await afterwards()
    await pollToEnd()
    expect(lines).toEqual(['a', 'b', ...expected])
    expect(warnings).toEqual([])
  })

  test.each(rotations)('%s before any line was read', async (_, rotate, expected) => {
    await poll()
    write('a\nb\nc\n')
    await rotate()
    await afterwards()
    await pollToEnd()
    expect(lines).toEqual(['a', 'b', ...expected])
    expect(warnings).toEqual([])
  })
})

type Step = 'write' | 'write half' | 'rename' | 'copytruncate' | 'compress' | 'poll' | 'restart'

test('each line is returned once, after any sequence of writes, rotations and restarts', async () => {
  const step = fc.oneof(
    { weight: 4, arbitrary: fc.constant<Step>('write') },
    { weight: 3, arbitrary: fc.constantFrom<Step>('poll', 'restart') },
    { weight: 2, arbitrary: fc.constantFrom<Step>('rename', 'copytruncate', 'compress', 'write half') },
  )
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 24 }), async steps => {
      await beginAnew()
      /** The text written to each file, oldest first. */
      const texts = ['']
      let count = 0
      for (const step of steps) {
        if (step === 'poll') await poll()
        else if (step === 'restart') await restart()
        else if (step === 'compress') {
          const number = [1, 2, 3].find(number => statSync(name(number), { throwIfNoEntry: false }))
          if (number !== undefined) compress(number)
        } else if (step === 'write' || step === 'write half') {
          const text = `line ${count++}${step === 'write' ? '\n' : ' and '}`
          write(text)
          texts.push(texts.pop() + text)
        } else if (statSync(log, { throwIfNoEntry: false })) {
          if (step === 'rename') rename()
          else copyTruncate()
          texts.push('')
        }
      }
      // The last file ends with a complete line.
      write('end\n')
      texts.push(`${texts.pop()}end`)
      await pollToEnd()
      expect(lines).toEqual(texts.flatMap(text => text.split('\n')).filter(Boolean))
      expect(warnings).toEqual([])
    }),
    { numRuns: 150 },
  )
})
