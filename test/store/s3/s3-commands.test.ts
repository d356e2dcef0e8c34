import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ListObjectsV2Command, type S3Client } from '@aws-sdk/client-s3'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { checkDatabases } from '../../../server/commands/doctor/check-databases.ts'
import { checkStoredBundles } from '../../../server/commands/doctor/check-stored-bundles.ts'
import { makeBackup } from '../../../server/store/backup/make-backup.ts'
import { restoreBackup } from '../../../server/store/backup/restore-backup.ts'
import { openBundles } from '../../../server/store/open-bundles.ts'
import { openPostgresStore } from '../../../server/store/postgres/store.ts'
import { parseS3Location } from '../../../server/store/s3/s3-location.ts'
import { addCompletedJob } from '../../support/completed-job.ts'
import { createTestDatabase, findPostgres } from '../../support/postgres/test-database.ts'
import { main, runQuire } from '../../support/process.ts'
import { runProgram } from '../../support/program.ts'
import { createS3Bucket, whyNoS3Server } from '../../support/s3-server.ts'
import { createOrganization } from '../../support/server.ts'
import { addExport, digest, fillDataFolder, listCompleted, openMain } from '../backup/data-folder.ts'

const reason = whyNoS3Server()
if (reason !== undefined) console.log(`The tests of commands with bundles in S3 are skipped: ${reason}`)

const storageTest = test.skipIf(reason !== undefined)

const Bucket = 'quire-commands'
let s3: Awaited<ReturnType<typeof createS3Bucket>>
let client: S3Client
let folder: string
/** A filled data folder. The bundle of its export se_1 is in the storage. */
let data: string
let address: string

beforeAll(async () => {
  if (reason !== undefined) return
  s3 = await createS3Bucket(Bucket)
  client = s3.client
})
afterAll(async () => {
  await s3?.dispose()
})
beforeEach(async context => {
  folder = mkdtempSync(join(tmpdir(), 'quire-s3-commands-'))
  context.onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  data = join(folder, 'data')
  await fillDataFolder(data)
  if (reason !== undefined) return
  address = `s3://${Bucket}/${folder.slice(-6)}?endpoint=${s3.endpoint}`
  await store('se_1')
})

const unreachable = 's3://quire-commands?endpoint=http://127.0.0.1:9'

async function withStorage<T>(work: (opened: Awaited<ReturnType<typeof openBundles>>) => Promise<T>): Promise<T> {
  const opened = await openBundles({ dataFolder: data, location: parseS3Location(address) })
  try {
    return await work(opened)
  } finally {
    await opened.stop()
  }
}

/** Moves the bundle of an export from the data folder to the storage. */
async function store(jobId: string): Promise<void> {
  const file = join(data, 'bundles', `${jobId}.zip`)
  const content = readFileSync(file)
  const bundle = { fileName: `${jobId}.zip`, sizeBytes: content.length, sha256: digest(content) }
  await withStorage(async ({ bundles }) => bundles.publish(file, bundle))
  rmSync(file)
}

async function listObjects(): Promise<(string | undefined)[]> {
  const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket, Prefix: `${folder.slice(-6)}/` }))
  return Contents.map(({ Key }) => Key?.slice(7))
}

const run = (...args: string[]) => runQuire([...args, '--data', data, '--bundles', address])

storageTest('a backup keeps the jobs whose bundles are in the storage, and says where they are', async () => {
  addExport(data, 'se_2', 'will be missing')
  rmSync(join(data, 'bundles/se_2.zip'))
  const backup = join(folder, 'backup')
  const made = await run('backup', backup)
  expect(made).toMatchObject({
    code: 0,
    stderr: `The bundle of se_2 is missing in ${address}. Export the site again.\n`,
  })
  expect(made.stdout).toContain(`Not in it: 1 bundle in ${address}. The backup has only their names.`)
  expect(JSON.parse(readFileSync(join(backup, 'manifest.json'), 'utf8'))).toMatchObject({
    bundlesElsewhere: { place: address, fileNames: ['se_1.zip'] },
  })

  const restored = join(folder, 'restored')
  const { code, stdout } = await runQuire(['restore', backup, '--data', restored])
  expect(code).toBe(0)
  expect(stdout).toContain(
    `Not in the backup: 1 bundle in ${address}. Start the server with --bundles and this address.`,
  )
  expect(listCompleted(restored).map(({ jobId }) => jobId)).toEqual(['se_1', 'se_2'])
  const { stdout: exports } = await runQuire(['exports', 'list', '--data', restored, '--bundles', address, '--json'])
  expect(JSON.parse(exports).map(({ jobId, bundle }: { jobId: string; bundle: string }) => [jobId, bundle])).toEqual([
    ['se_1', 'sound'],
    ['se_2', 'missing'],
  ])
})

storageTest('without --bundles, the jobs stay in a backup, and backup and doctor name the flag', async () => {
  const { code, stderr } = await runQuire(['backup', join(folder, 'backup'), '--data', data])
  expect({ code, stderr }).toEqual({
    code: 0,
    stderr:
      'The bundle of se_1 is missing in the data folder. Export the site again.\n' +
      'No bundle is in the data folder. If the server stores them in S3, back up with the same --bundles as the server.\n',
  })
  await restoreBackup({ source: join(folder, 'backup'), dataFolder: join(folder, 'restored'), onProgress() {} })
  expect(listCompleted(join(folder, 'restored')).map(({ jobId }) => jobId)).toEqual(['se_1'])
  const finding = (await checkDatabases(data)).find(({ level }) => level === 'failure')
  expect(finding?.remedy).toMatch(/^If the server stores bundles in S3, set QUIRE_BUNDLES\./)
})

storageTest('an export that is deleted after its row was copied is not in the backup', async () => {
  addExport(data, 'se_2', 'will be deleted')
  await store('se_2')
  await withStorage(async ({ bundles }) => {
    const database = openMain(data)
    const made = await makeBackup({
      dataFolder: data,
      target: join(folder, 'backup'),
      overwrite: false,
      isNoted: true,
      version: '0.1.0',
      now: Date.now,
      onProgress({ path }) {
        // A server deletes the row first. The bundle is still there when the backup looks for it.
        if (path.startsWith('visits/')) database.exec("DELETE FROM export_jobs WHERE job_id = 'se_2'")
      },
      stored: { place: address, check: bundles.check },
    })
    database.close()
    expect(made).toMatchObject({ warnings: [], bundlesElsewhere: { place: address, bundles: 1 } })
  })
  await restoreBackup({ source: join(folder, 'backup'), dataFolder: join(folder, 'restored'), onProgress() {} })
  expect(listCompleted(join(folder, 'restored')).map(({ jobId }) => jobId)).toEqual(['se_1'])
})

storageTest('while the storage is down, a backup has everything else, and says so', async () => {
  const { code, stderr } = await runQuire(['backup', join(folder, 'b.tar'), '--data', data, '--bundles', unreachable])
  expect({ code, stderr }).toEqual({
    code: 0,
    stderr: `The storage of the bundles cannot be used (ECONNREFUSED). The backup is complete, but the bundles in ${unreachable} were not checked.\n`,
  })
  const restored = join(folder, 'restored')
  const { stdout } = await runQuire(['restore', join(folder, 'b.tar'), '--data', restored, '--json'])
  expect(JSON.parse(stdout)).toMatchObject({ bundlesElsewhere: { place: unreachable, bundles: 1 } })
  expect(listCompleted(restored).map(({ jobId }) => jobId)).toEqual(['se_1'])
})

storageTest(
  'while the storage is down, exports are listed, and the list says that their bundles were not checked',
  async () => {
    const { code, stdout, stderr } = await runQuire([
      'exports',
      'list',
      '--data',
      data,
      '--bundles',
      unreachable,
      '--json',
    ])
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: 'The storage of the bundles cannot be used (ECONNREFUSED). The bundles were not checked.\n',
    })
    expect(JSON.parse(stdout)).toMatchObject([{ jobId: 'se_1', status: 'completed', bundle: 'unchecked' }])
  },
)

storageTest('the doctor looks for bundles in the storage, and changes nothing there', async () => {
  const examine = async (url: string) =>
    (await checkStoredBundles({ dataFolder: data }, parseS3Location(url))).map(
      ({ level, message }) => `${level}: ${message}`,
    )
  expect(await examine(address)).toEqual([`ok: ${address} can be used, and has the bundle of each completed export.`])
  addExport(data, 'se_2', 'in the data folder only')
  expect(await examine(address)).toEqual([
    `failure: The bundles of 1 of 2 completed exports are missing or damaged in ${address}: se_2.`,
  ])
  expect(await examine(unreachable)).toEqual([`failure: ${unreachable} cannot be reached (ECONNREFUSED).`])
  const none = `s3://no-such-bucket?endpoint=${s3.endpoint}`
  expect(await examine(none)).toEqual([`failure: ${none} cannot be used.`])
  expect(await listObjects()).toEqual(['se_1.zip'])

  await store('se_2')
  const fromFlag = await run('doctor', '--json')
  const fromVariable = await runQuire(['doctor', '--data', data, '--json'], { env: { QUIRE_BUNDLES: address } })
  for (const { stdout } of [fromFlag, fromVariable]) {
    const messages = JSON.parse(stdout).findings.map(({ message }: { message: string }) => message)
    expect(messages).toContain(`${address} can be used, and has the bundle of each completed export.`)
    expect(messages).not.toContain('Each completed export has its bundle.')
  }
})

const found = await findPostgres()

test.skipIf(reason !== undefined || 'missing' in found)(
  'the doctor looks for the bundles of a PostgreSQL database',
  async context => {
    const database = await createTestDatabase((found as { url: string }).url)
    context.onTestFinished(() => database.drop())
    const onPostgres = await openPostgresStore(database.url)
    context.onTestFinished(() => onPostgres.close())
    const { organizationId } = await createOrganization(onPostgres)
    const findBundles = async () => {
      const { stdout } = await run('doctor', '--json', '--database', database.url)
      const { findings } = JSON.parse(stdout) as { findings: { check: string; message: string }[] }
      return findings.flatMap(({ check, message }) => (check === 'bundles' ? [message] : []))
    }
    const { jobId } = await addCompletedJob(onPostgres, data, organizationId, id => `${id}.zip`)
    await store(jobId)
    expect(await findBundles()).toEqual([`${address} can be used, and has the bundle of each completed export.`])
    const lost = await addCompletedJob(onPostgres, data, organizationId)
    expect(await findBundles()).toEqual([
      `The bundles of 1 of 2 completed exports are missing or damaged in ${address}: ${lost.jobId}.`,
    ])
  },
)

storageTest('a lost bundle may be deleted when the storage has it, and not before', async () => {
  addExport(data, 'se_2', 'the second bundle')
  mkdirSync(join(data, 'lost'), { recursive: true })
  writeFileSync(join(data, 'lost/se_1.zip'), 'the bytes of a bundle')
  renameSync(join(data, 'bundles/se_2.zip'), join(data, 'lost/se_2.zip'))
  const later = {
    NODE_OPTIONS: `--import ${toModule('const now = Date.now; Date.now = () => now() + 2 * 86_400_000')}`,
  }
  const { stdout } = await runQuire(['lost', 'list', '--json', '--data', data, '--bundles', address], { env: later })
  const rows = JSON.parse(stdout) as { name: string; reason: string | null }[]
  expect(Object.fromEntries(rows.map(({ name, reason }) => [name, reason]))).toMatchObject({
    'se_1.zip': null,
    'se_2.zip': 'needed',
  })
})

storageTest('a deleted export loses its bundle in the storage, and so does a deleted organization', async () => {
  addExport(data, 'se_2', 'the second bundle')
  await store('se_2')
  expect(await listObjects()).toEqual(['se_1.zip', 'se_2.zip'])
  expect(await run('exports', 'delete', 'se_1')).toMatchObject({ code: 0 })
  expect(await listObjects()).toEqual(['se_2.zip'])
  expect(await run('orgs', 'delete', 'org_1', '--yes')).toMatchObject({ code: 0 })
  expect(await listObjects()).toEqual([])
})

test('without the packages of the SDK, a command says how to install them', async () => {
  const hide = toModule(`import { registerHooks } from 'node:module'
    const resolve = (name, context, next) => next(name.startsWith('@aws-sdk/') ? 'not-installed-' + name.slice(9) : name, context)
    registerHooks({ resolve })`)
  const list = ['exports', 'list', '--data', data]
  const { code, stdout, stderr } = await runProgram(['--import', hide, main, ...list, '--bundles', 's3://docs'])
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toContain(
    'needs the packages @aws-sdk/client-s3, @aws-sdk/lib-storage, @aws-sdk/s3-request-presigner, which are not installed.',
  )
  expect(stderr).toContain(
    'npm install --global @aws-sdk/client-s3@3 @aws-sdk/lib-storage@3 @aws-sdk/s3-request-presigner@3',
  )
  expect(await runProgram(['--import', hide, main, ...list])).toMatchObject({ code: 0, stderr: '' })
})

function toModule(source: string): string {
  return `data:text/javascript,${encodeURIComponent(source)}`
}
