import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { openStore, type Store } from '../../server/store/store.ts'
import { countByBruteForce } from '../analytics/brute-force.ts'
import { toLine } from '../analytics/follow/numbered-lines.ts'
import { forEachNumber, putLog, toHourKey } from '../commands/bucket-logs.ts'
import { waitFor } from '../support/export-site.ts'
import { runQuire, startFollow } from '../support/process.ts'
import { createRandom } from '../support/random.ts'
import { createS3Bucket, whyNoS3Server } from '../support/s3-server.ts'
import { createOrganization } from '../support/server.ts'

const reason = whyNoS3Server()
const Bucket = 'quire-follow-kills'
const random = createRandom('kills')
const kills = 10
const objects = 300
const lines = 200
/** Large enough that a kill falls within it. */
const largeLines = 400_000
const written = objects * lines + largeLines
const agent = 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0'

async function ask<T>(data: string, question: (store: Store) => Promise<T>): Promise<T> {
  const store = openStore(data)
  try {
    return await question(store)
  } finally {
    store.close()
  }
}

test.skipIf(reason !== undefined)(
  `${kills} kills while a bucket is followed change no count`,
  async ({ onTestFinished }) => {
    const s3 = await createS3Bucket(Bucket)
    onTestFinished(() => s3.dispose())
    const data = mkdtempSync(join(tmpdir(), 'quire-follow-bucket-'))
    onTestFinished(() => rmSync(data, { recursive: true, force: true }))
    const put = (hour: number, number: number, count: number, part = 0) =>
      putLog(s3.client, Bucket, { key: toHourKey('E1', hour, part), number, lines: count })
    await forEachNumber(objects / 2, number => put(number, number * lines, lines))
    await put(70, objects * lines, largeLines, 1)
    const { projectId } = await ask(data, createOrganization)
    const args = [`s3://${Bucket}?endpoint=${s3.endpoint}`, '--project', projectId, '--data', data]
    const count = (limit: number) =>
      ask(data, async ({ visits }) => visits.countUniqueVisitors(projectId, {}, { limit, offset: 0 }))

    const left = new Set<number>()
    for (let killed = 0; killed < kills; killed++) {
      const before = await count(1)
      const follow = startFollow(args)
      // Every second kill falls right after a commit, so that the kills leave different parts on a machine of any speed.
      const isChanged = async () => (await count(1)).totals.total !== before.totals.total
      if (killed % 2) await setTimeout(1500 + random() * 3000)
      else await waitFor(async () => (await isChanged()) || undefined, 20_000)
      await follow.end('SIGKILL')
      expect(follow.errors()).not.toMatch(/\n {4}at /)
      left.add((await count(1)).totals.total)
      // Objects that arrive meanwhile sort between those that were read.
      const from = objects / 2 + (killed * objects) / 2 / kills
      await forEachNumber(objects / 2 / kills, i => put(from + i - objects / 2, (from + i) * lines, lines, 2))
    }
    // The kills left different parts.
    expect([...left].filter(total => total > 0 && total < written).length).toBeGreaterThan(1)
    const { code, stderr } = await runQuire(['visits', 'follow', ...args, '--once', '--json'])
    expect(code, stderr).toBe(0)

    const { totals, visitors } = await count(250)
    const all = Array.from({ length: written }, (_, number) => toLine(number))
    const [brute] = countByBruteForce(all, { [agent]: 'human' }, [['2026-11-20', '2026-11-21']], Date.UTC(2026, 11, 1))
    expect(totals).toEqual({ human: brute?.human, ai: brute?.ai, total: brute?.total })
    expect(totals.total).toBe(written)
    expect(Object.fromEntries(visitors.map(({ path, human, ai, total }) => [path, [human, ai, total]]))).toEqual(
      brute?.pages,
    )
    const again = await runQuire(['visits', 'follow', ...args, '--once', '--json'])
    expect(JSON.parse(again.stdout)).toMatchObject({ lines: 0, newVisitorDays: 0 })
  },
)
