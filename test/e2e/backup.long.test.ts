import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { findInconsistencies } from '../store/backup/data-folder.ts'
import { runQuire, startQuire } from '../support/process.ts'
import { createRandom } from '../support/random.ts'
import { backUpAndCompare, type LoadedFolder, startLoad } from './backup-under-load.ts'

const random = createRandom('backups')
let loaded: LoadedFolder

beforeEach(async () => {
  loaded = await startLoad()
})
afterEach(() => loaded.dispose())

test('12 backups, four in each form, made while 500 writes a second go on, are complete and consistent', async () => {
  let [writes, seconds] = [0, 0]
  for (let round = 0; round < 4; round++) {
    for (const name of [`${round}.tar`, `${round}.tar.gz`, `${round}`]) {
      const restored = join(loaded.folder, `restored-${name}`)
      const result = await backUpAndCompare(loaded, name, restored)
      expect(result.problems).toEqual([])
      expect(result.writes).toBeGreaterThan(0)
      writes += result.writes
      seconds += result.seconds
      rmSync(restored, { recursive: true })
    }
  }
  console.log(`${writes} writes while the backups ran: ${Math.round(writes / seconds)} a second`)
})

test('after each of 20 kills at random moments, a name in use is a backup that can be restored', async () => {
  const { folder, data } = loaded
  // Some kills come after the end.
  const { seconds } = await backUpAndCompare(loaded, 'first.tar', join(folder, 'first'))
  let complete = 0
  for (let kill = 0; kill < 20; kill++) {
    const target = join(folder, `${kill}${kill % 2 ? '.tar' : ''}`)
    const backup = startQuire(['backup', target, '--data', data])
    await setTimeout(random() * 1.3 * seconds * 1000)
    await backup.end('SIGKILL')
    if (!existsSync(target)) continue
    complete += 1
    const restored = join(folder, 'restored')
    expect(await runQuire(['restore', target, '--data', restored])).toMatchObject({ code: 0, stderr: '' })
    expect(findInconsistencies(restored)).toEqual([])
    rmSync(restored, { recursive: true })
  }
  console.log(`${complete} of 20 were complete before the kill`)
  expect(await runQuire(['backup', join(folder, 'last.tar'), '--data', data])).toMatchObject({ code: 0 })
  expect(readdirSync(folder).filter(name => name.startsWith('quire-backup-'))).toEqual([])
})
