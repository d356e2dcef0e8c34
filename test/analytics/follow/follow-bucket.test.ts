import { expect, test } from 'vitest'
import { BucketPosition } from '../../../server/analytics/follow/bucket-position.ts'
import { followBucket } from '../../../server/analytics/follow/follow-bucket.ts'
import { type LogBucket, type LogObject, LogObjectError } from '../../../server/analytics/import/log-bucket.ts'
import { createRandom } from '../../support/random.ts'
import { countVisitors, project, setUpFollow, store, warnings } from './follow-set-up.ts'
import { toLine } from './numbered-lines.ts'

setUpFollow()

const hourMs = 3_600_000
const begin = Date.UTC(2026, 10, 21)
let now = begin

interface StoredObject extends LogObject {
  text: string
}

/** A bucket in memory, which has its own time. */
function createBucket() {
  const objects = new Map<string, StoredObject>()
  const reads: string[] = []
  /** Keys whose objects break off. */
  const broken = new Map<string, LogObjectError>()
  const bucket: LogBucket = {
    async *list(after) {
      for (const key of [...objects.keys()].sort()) if (key > after) yield objects.get(key) as StoredObject
    },
    async *read({ key }) {
      reads.push(key)
      yield Buffer.from(objects.get(key)?.text ?? '')
      const error = broken.get(key)
      if (error) throw error
    },
    nameOf: ({ key }) => `s3://b/${key}`,
    close() {},
  }
  let puts = 0
  function put(key: string, text: string): void {
    objects.set(key, { key, text, sizeBytes: text.length, modifiedAtMs: now, etag: `"${puts++}"` })
  }
  const follow = (overlapMs = 24 * hourMs) =>
    followBucket({
      ...{ file: 's3://b', bucket, overlapMs, projects: project, visits: store.visits, once: true, now: () => now },
      signal: new AbortController().signal,
      warn: message => warnings.push(message),
    })
  return { objects, reads, broken, put, follow }
}

test('of objects that arrive up to a day late, under several prefixes, each is read once', async () => {
  const random = createRandom('late objects')
  now = begin
  const { reads, put, follow } = createBucket()
  const names = [
    (at: string) => `E1.${at.slice(0, 13).replace('T', '-')}`,
    (at: string) => `E2.${at.slice(0, 13).replace('T', '-')}`,
    (at: string) => `AWSLogs/202611224444/eu/${at.slice(0, 10).replaceAll('-', '/')}/x_${at.replaceAll(/[-:]/g, '')}`,
    (at: string) => `p/year=${at.slice(0, 4)}/month=${at.slice(5, 7)}/day=${at.slice(8, 10)}/${at.slice(11)}`,
    () => 'undated-',
  ]
  const arrivals = Array.from({ length: 400 }, (_, number) => {
    const hour = Math.floor(random() * 200)
    const at = new Date(begin - 300 * hourMs + hour * hourMs).toISOString()
    const key = `${names[number % names.length]?.(at)}.${number}`
    return { key, number, at: begin - 300 * hourMs + (hour + 1 + random() * 22.9) * hourMs }
  }).sort((a, b) => a.at - b.at)
  for (const [i, { key, number, at }] of arrivals.entries()) {
    now = at
    put(key, toLine(number, '01/Nov/2026:10:11:12 +0000'))
    if (random() < 0.1 || i === arrivals.length - 1) await follow()
  }
  now = begin + 48 * hourMs
  await follow()
  await follow()
  expect(reads.toSorted()).toEqual(arrivals.map(({ key }) => key).toSorted())
  expect(await countVisitors()).toBe(400)
  const position = JSON.parse((await store.visits.findLogPosition(project.id, 's3://b')) ?? '')
  // Only the objects without a day are still remembered.
  expect(position.counted).toHaveLength(80)
  expect(position.ends.map(([stem]: string[]) => stem)).toEqual(
    expect.arrayContaining(['E1.', 'E2.', 'AWSLogs/202611224444/eu/', 'p/year=']),
  )
  expect(position.ends).toHaveLength(4)
})

test('an object that breaks off is read again, and the position waits for it', async () => {
  const { reads, broken, put, follow } = createBucket()
  for (const day of [1, 2, 3]) put(`E1.2026-11-0${day}.gz`, toLine(day))
  now += 48 * hourMs
  broken.set('E1.2026-11-02.gz', new LogObjectError('the storage did not send it to its end.', false))
  await expect(follow()).rejects.toThrow('s3://b/E1.2026-11-02.gz cannot be read: the storage did not send it')
  broken.clear()
  await follow()
  expect(reads.map(key => key.slice(11, 13))).toEqual(['01', '02', '03', '02'])
  expect(await countVisitors()).toBe(3)
})

test('an object that another try cannot read is named once and left', async () => {
  const { reads, broken, put, follow } = createBucket()
  put('E1.2026-11-01.gz', toLine(1))
  put('E1.2026-11-02.gz', toLine(2))
  broken.set('E1.2026-11-01.gz', new LogObjectError('it is in an archive of the storage.', true))
  await follow()
  await follow()
  expect(reads).toHaveLength(2)
  expect(warnings.filter(message => message.includes('archive'))).toHaveLength(1)
})

test('an object that is replaced within the overlap is read again', async () => {
  const { reads, put, follow } = createBucket()
  put('E1.2026-11-01.gz', toLine(1))
  await follow()
  put('E1.2026-11-01.gz', toLine(1) + toLine(2))
  await follow()
  expect(reads).toHaveLength(2)
  expect(await countVisitors()).toBe(2)
})

test('if no line is in a known format, the objects are read again', async () => {
  const { reads, put, follow } = createBucket()
  put('E1.2026-11-01.gz', 'no log\n'.repeat(200))
  await follow()
  await follow()
  expect(reads).toHaveLength(2)
  expect(warnings.join()).toContain('none of 200 lines is in a known format')
})

test('a position of a newer version is refused', () => {
  expect(() => new BucketPosition('{"version":2}', 0)).toThrow('Upgrade Quire')
})
