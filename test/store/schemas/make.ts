// Makes the databases of earlier schema versions that test/store/old-schemas.test.ts opens, with the Quire of that time.
//
//   node test/store/schemas/make.ts
//
// For each pair of schema versions in the history, the newest commit with it is checked out, and its demo is started. The
// databases and the answers of that server are kept here. Existing ones are not made again.
import { execFileSync, spawn } from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { gzipSync } from 'node:zlib'

const root = resolve(import.meta.dirname, '../../..')
const folders = { main: 'server/store/migrations/', visits: 'server/store/visits/migrations/' }

const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 64 * 1024 ** 2 })

/** Names the schema versions at a commit, such as `main-10-visits-5`. */
function nameSchemas(commit: string): string {
  const count = (folder: string) =>
    git('ls-tree', '--name-only', commit, folder)
      .split('\n')
      .filter(name => name.endsWith('.sql')).length
  return `main-${count(folders.main)}-visits-${count(folders.visits)}`
}

/** By the name of the schemas. History has merges, so each commit is looked at. */
const newest = new Map<string, string>()
for (const commit of git('log', '--reverse', '--topo-order', '--format=%H').trim().split('\n')) {
  newest.set(nameSchemas(commit), commit)
}

const scratch = mkdtempSync(join(tmpdir(), 'quire-schemas-'))
try {
  for (const [schemas, commit] of newest) {
    const folder = join(import.meta.dirname, schemas)
    if (existsSync(folder)) continue
    // The first versions had no demo.
    if (!git('ls-tree', '--name-only', commit, 'server/').includes('server/main.ts')) continue
    console.log(`${schemas} from ${commit.slice(0, 7)}`)
    await make(commit, folder).catch(error => console.error(`  ${(error as Error).message}`))
  }
} finally {
  rmSync(scratch, { recursive: true, force: true })
}

async function make(commit: string, folder: string): Promise<void> {
  const checkout = join(scratch, commit)
  mkdirSync(checkout)
  execFileSync('tar', ['-x', '-C', checkout], {
    input: execFileSync('git', ['archive', commit], { cwd: root, maxBuffer: 1024 ** 3 }),
  })
  symlinkSync(join(root, 'node_modules'), join(checkout, 'node_modules'))
  const data = join(checkout, 'made-data')
  const args = ['server/main.ts', 'demo', '--port', '0', '--data', data]
  const server = spawn(process.execPath, args, { cwd: checkout, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [server.stdout, server.stderr]) stream.setEncoding('utf8').on('data', text => (output += text))
  const ended = new Promise<void>(done => server.once('exit', () => done()))
  try {
    const [, key] = await find(/\b(quire_[A-Za-z0-9_-]{20,})/, () => output, ended)
    const [, url] = await find(/(http:\/\/127\.0\.0\.1:\d+)/, () => output, ended)
    const [, projectId] = await find(/\/(prj_[0-9a-f]+)\//, () => output, ended)
    const answers: Record<string, unknown> = {}
    for (const path of [
      `/v2/agent/${projectId}/job/aj_demo_completed`,
      // Without an end, a range would end with the day of the question.
      `/v1/analytics/${projectId}/visitors?limit=3&dateTo=2026-11-22`,
      `/v1/analytics/${projectId}/visitors?limit=3&dateFrom=2026-11-10&dateTo=2026-11-20`,
    ]) {
      const response = await fetch(url + path, { headers: { Authorization: `Bearer ${key}` } })
      if (response.status !== 200) throw new Error(`${path} answered ${response.status}.`)
      answers[path] = await response.json()
    }
    server.kill('SIGTERM')
    await ended
    mkdirSync(join(folder, 'visits'), { recursive: true })
    pack(join(data, 'quire.db'), join(folder, 'quire.db.gz'))
    for (const file of existsSync(join(data, 'visits')) ? readdirSync(join(data, 'visits')) : []) {
      if (file.endsWith('.db')) pack(join(data, 'visits', file), join(folder, 'visits', `${file}.gz`))
    }
    if (existsSync(join(data, 'visitor.key'))) copyFileSync(join(data, 'visitor.key'), join(folder, 'visitor.key'))
    const about = { commit, projectId, answers }
    writeFileSync(join(folder, 'answers.json'), `${JSON.stringify(about, undefined, 2)}\n`)
  } finally {
    server.kill('SIGKILL')
    await ended
  }
}

function pack(from: string, to: string): void {
  if (existsSync(`${from}-wal`)) throw new Error(`${from} was not closed.`)
  writeFileSync(to, gzipSync(readFileSync(from), { level: 9 }))
}

async function find(pattern: RegExp, read: () => string, ended: Promise<void>): Promise<[string, string]> {
  let isRunning = true
  void ended.then(() => (isRunning = false))
  for (let waited = 0; waited < 60_000; waited += 100) {
    const found = pattern.exec(read())
    if (found?.[1]) return [found[0], found[1]]
    if (!isRunning) break
    await new Promise(done => setTimeout(done, 100))
  }
  throw new Error(`The demo does not say ${pattern}:\n${read().slice(-2000)}`)
}
