import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DeleteObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { openStore } from '../../server/store/store.ts'
import { dropVisitorWarnings, toLine } from '../analytics/follow/numbered-lines.ts'
import { startGate } from '../support/gate.ts'
import { runQuire, startServe } from '../support/process.ts'
import { createS3Bucket, whyNoS3Server } from '../support/s3-server.ts'
import { createOrganization } from '../support/server.ts'
import { forEachNumber, putLog, toHourKey } from './bucket-logs.ts'

const reason = whyNoS3Server()
if (reason !== undefined) console.log(`The tests of logs in S3 are skipped: ${reason}`)
const storageTest = test.skipIf(reason !== undefined)

const Bucket = 'quire-visits'
const objects = 1200
let s3: Awaited<ReturnType<typeof createS3Bucket>>
let data: string
let flags: string[]
let projectId: string

beforeAll(async () => {
  if (reason !== undefined) return
  s3 = await createS3Bucket(Bucket)
  await forEachNumber(objects, number => putLog(s3.client, Bucket, { key: `many/${toHourKey('E1', number)}`, number }))
})
afterAll(async () => {
  await s3?.dispose()
})
beforeEach(async context => {
  data = mkdtempSync(join(tmpdir(), 'quire-visits-bucket-'))
  context.onTestFinished(() => rmSync(data, { recursive: true, force: true }))
  const store = openStore(data)
  projectId = (await createOrganization(store)).projectId
  store.close()
  flags = ['--project', projectId, '--data', data, '--json']
})

const address = (prefix: string, endpoint = s3.endpoint) => `s3://${Bucket}/${prefix}?endpoint=${endpoint}`
const put = (key: string, number: number, lines?: number) =>
  putLog(s3.client, Bucket, { key, number, ...(lines && { lines }) })

async function countVisitors(): Promise<number> {
  const store = openStore(data)
  try {
    return (await store.visits.countUniqueVisitors(projectId, {}, { limit: 1, offset: 0 })).totals.total
  } finally {
    store.close()
  }
}

storageTest('1,200 objects, plain and compressed, are imported, and a second import counts nothing', async () => {
  const { code, stdout, stderr } = await runQuire(['visits', 'import', address('many/E1.'), ...flags])
  expect([code, stderr]).toEqual([0, ''])
  expect(JSON.parse(stdout)).toMatchObject({ lines: objects, newVisitorDays: objects })
  expect(JSON.parse(stdout).files).toHaveLength(objects)
  const again = await runQuire(['visits', 'import', address('many/E1.2026-10-0'), ...flags])
  expect(JSON.parse(again.stdout)).toMatchObject({ lines: 9 * 24, newVisitorDays: 0 })
})

storageTest('a damaged object is imported up to the damage, and one that is empty is no log', async () => {
  await put('mixed/a.log', 2)
  await s3.client.send(new PutObjectCommand({ Bucket, Key: 'mixed/b.gz', Body: Buffer.from('1f8b0800', 'hex') }))
  await s3.client.send(new PutObjectCommand({ Bucket, Key: 'mixed/folder/', ContentLength: 0 }))
  await put('mixed/ü 100%+c.log', 3)
  const { code, stderr } = await runQuire(['visits', 'import', address('mixed/'), ...flags])
  expect(code).toBe(1)
  expect(stderr).toContain(`s3://${Bucket}/mixed/b.gz is truncated`)
  expect(stderr).not.toContain('folder')
  expect(await countVisitors()).toBe(2)
})

storageTest.each([
  [
    'a bucket that is missing',
    () => `s3://quire-nobody?endpoint=${s3.endpoint}`,
    {},
    'There is no bucket s3://quire-nobody/',
  ],
  ['wrong credentials', () => address('many/'), { AWS_SECRET_ACCESS_KEY: 'hunter2' }, 'refuses the credentials'],
  ['a prefix without logs', () => address('none/'), {}, 'Check the prefix.'],
  ['a storage that is down', () => address('many/', 'http://127.0.0.1:9'), {}, 'cannot be listed now (ECONNREFUSED).'],
  ['a wrong parameter', () => `s3://${Bucket}?secret=hunter2`, {}, 'The parameters are endpoint'],
])('%s is an error with its remedy and without secrets', async (_, url, env, message) => {
  for (const command of [['import'], ['follow', '--once']]) {
    if (command[0] === 'follow' && message.includes('prefix')) continue
    const { code, stdout, stderr } = await runQuire(['visits', ...command, url(), ...flags], { env })
    expect(code).toBeGreaterThan(0)
    expect(stdout).toBe('')
    expect(stderr).toContain(message)
    expect(stderr).not.toMatch(/hunter2|--bundles|\n {4}at /)
  }
})

storageTest('an object that disappears is named, and the others are imported', async () => {
  for (const number of [0, 1, 2]) await put(`leaving/${number}.log`, number)
  const gate = await startGate(s3.endpoint, {
    onRequest: line => {
      if (line.includes('leaving/0.log'))
        return s3.client.send(new DeleteObjectCommand({ Bucket, Key: 'leaving/1.log' }))
    },
  })
  const { code, stderr } = await runQuire(['visits', 'import', address('leaving/', gate.url), ...flags])
  await gate.close()
  expect(code).toBe(1)
  expect(dropVisitorWarnings(stderr)).toContain(`s3://${Bucket}/leaving/1.log cannot be read: it was deleted`)
  expect(await countVisitors()).toBe(2)
})

const followOnce = (url: string, more: string[] = []) =>
  runQuire(['visits', 'follow', url, ...flags, '--once', ...more])

storageTest('a follower reads each object once, also one that sorts before the last key', async () => {
  const requests: string[] = []
  const gate = await startGate(s3.endpoint, { onRequest: line => requests.push(line) })
  const takeReads = () => requests.splice(0).filter(line => !line.includes('list-type=2')).length
  const url = address('follow/', gate.url)
  // Two distributions: an object of the first that is new sorts before all keys of the second.
  for (let hour = 0; hour < 5; hour++) {
    await put(`follow/${toHourKey('E1', hour)}`, hour)
    await put(`follow/${toHourKey('E2', hour)}`, 10 + hour)
  }
  await put('follow/undated.log', 20)
  try {
    const first = await followOnce(url)
    expect([first.code, dropVisitorWarnings(first.stderr)]).toEqual([0, ''])
    expect(JSON.parse(first.stdout)).toMatchObject({ log: url, lines: 11, newVisitorDays: 11 })
    expect(takeReads()).toBe(11)
    await put(`follow/${toHourKey('E1', 2, 9)}`, 30)
    await put(`follow/${toHourKey('E1', 5)}`, 31)
    await put('follow/undated.log', 32, 2)
    const second = await followOnce(url)
    expect(JSON.parse(second.stdout)).toMatchObject({ lines: 4, newVisitorDays: 4 })
    expect(takeReads()).toBe(3)
    await followOnce(url)
    expect(takeReads()).toBe(0)
    expect(await countVisitors()).toBe(15)
  } finally {
    await gate.close()
  }
})

storageTest('without an overlap, a listing goes on behind the last key', async () => {
  for (let hour = 0; hour < 3; hour++) await put(`skip/${toHourKey('E1', hour)}`, hour)
  const requests: string[] = []
  const gate = await startGate(s3.endpoint, { onRequest: line => requests.push(decodeURIComponent(line)) })
  try {
    // The storage rounds the time of an object up to the next second.
    for (const _ of [1, 2, 3]) {
      requests.length = 0
      const { code } = await followOnce(address('skip/', gate.url), ['--overlap-hours', '0', '--strict'])
      expect(code).toBe(0)
    }
  } finally {
    await gate.close()
  }
  expect(await countVisitors()).toBe(3)
  const listings = requests.filter(line => line.includes('list-type=2'))
  expect(listings).toHaveLength(requests.length)
  expect(listings.filter(line => line.includes(`start-after=skip/${toHourKey('E1', 2)}`)).length).toBeGreaterThan(0)
})

storageTest('a server follows a bucket, and one that is missing keeps neither from working', async () => {
  await put('serve/2026-11-20.log', 1)
  const missing = `s3://quire-nobody?endpoint=${s3.endpoint}`
  const server = await startServe([
    '--data',
    data,
    '--follow-log',
    `${address('serve/')}=${projectId},${missing}=${projectId}`,
  ])
  try {
    await expect.poll(countVisitors).toBe(1)
    const output = await server.read(text => (text.includes('There is no bucket') ? text : undefined))
    expect(output).toContain('Retrying every 60 s.')
    expect(output).not.toContain(s3.credentials.AWS_SECRET_ACCESS_KEY)
  } finally {
    await server.end('SIGTERM')
  }
})

storageTest('a server refuses an address that can never be followed', async () => {
  const { code, stderr } = await runQuire([
    'serve',
    '--data',
    data,
    '--follow-log-by-host',
    `s3://${Bucket}?secret=hunter2`,
  ])
  expect(code).toBe(2)
  expect(stderr).toContain('The address of the logs must be like s3://')
  expect(stderr).not.toContain('hunter2')
})

storageTest('an object whose connection breaks is read again by the next run', async () => {
  await s3.client.send(
    new PutObjectCommand({ Bucket, Key: 'breaking/2026-11-20.log', Body: toLine(1).repeat(200_000) }),
  )
  await put('breaking/2026-11-21.log', 2)
  let isCut = false
  const gate = await startGate(s3.endpoint, {
    onRequest: line => {
      const begin = gate.answeredBytes()
      if (!line.includes('2026-11-20.log') || isCut) return
      isCut = true
      const timer = setInterval(() => {
        if (gate.answeredBytes() < begin + 1_000_000) return
        clearInterval(timer)
        gate.cut()
      }, 1)
    },
  })
  const url = address('breaking/', gate.url)
  try {
    const first = await followOnce(url)
    expect([first.code, isCut]).toEqual([1, true])
    expect(first.stderr).toContain(
      'breaking/2026-11-20.log cannot be read: the storage did not send it to its end (ECONN',
    )
    const second = await followOnce(url)
    expect(second.code).toBe(0)
    // The other object is not read again.
    expect(JSON.parse(second.stdout)).toMatchObject({ lines: 200_000 })
    expect(await countVisitors()).toBe(2)
  } finally {
    await gate.close()
  }
})
