// Prints how large the program is, and through how many files its most usual work goes.
//
//   npm run walks [-- --json]
//
// Each walk is done with a few items and with some more, in processes whose functions note each call. What runs more often with more
// items belongs to the walk. A change of file is a call of a function in another file than the call before.
import { execFileSync, spawn } from 'node:child_process'
import { globSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

interface Walk {
  files: number
  changesPerItem: number
  /** Names of the files, by their first call. */
  names: string[]
}

const root = join(import.meta.dirname, '..')
const scratch = mkdtempSync(join(tmpdir(), 'quire-walks-'))
process.on('exit', () => rmSync(scratch, { recursive: true, force: true }))

const values = readFlags()
if (values.help) {
  console.log(`Usage: npm run walks [-- --json]

Prints the size of the program, and through how many files of server/ one more page of an export, request of the crawler, line of a log
and start of an export go. --json also lists the files.`)
  process.exit(0)
}

const size = measureSize()
const walks = {
  'page of an export': compare(await trace('page', 20), await trace('page', 60), 40),
  'request of the crawler': compare(await trace('request', 20), await trace('request', 60), 40),
  'line of a log': compare(await traceLog(1000), await traceLog(3000), 2000),
  'start of an export': compare(await traceStarts(2), await traceStarts(6), 4),
}
if (values.json) console.log(JSON.stringify({ size, walks }, null, 2))
else {
  console.table(size)
  console.table(
    Object.fromEntries(
      Object.entries(walks).map(([name, { files, changesPerItem }]) => [
        name,
        { files, 'changes of file': changesPerItem },
      ]),
    ),
  )
}

function readFlags() {
  try {
    const boolean = { type: 'boolean', default: false } as const
    return parseArgs({ options: { json: boolean, help: boolean } }).values
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    process.exit(2)
  }
}

/** Counts the TypeScript files of each part, their lines, and the folders directly below server/. */
function measureSize() {
  const count = (part: string) => {
    const lines = globSync(`${part}/**/*.{ts,mjs}`, { cwd: root, exclude: name => name === 'node_modules' })
      .map(file => readFileSync(join(root, file), 'utf8').split('\n').length - 1)
      .sort((a, b) => a - b)
    const median = lines[Math.floor(lines.length / 2)] ?? 0
    return {
      files: lines.length,
      lines: lines.reduce((sum, each) => sum + each, 0),
      median,
      longest: lines.at(-1) ?? 0,
    }
  }
  const rooms = readdirSync(join(root, 'server'), { withFileTypes: true }).filter(entry => entry.isDirectory()).length
  return { server: { ...count('server'), rooms }, scripts: count('scripts'), test: count('test') }
}

/** Does a walk of walk.ts, and returns the calls of each thread. */
async function trace(walk: string, count: number): Promise<string[][]> {
  return run([join(root, 'scripts/walks/walk.ts'), walk, String(count)])
}

/** Imports a log of so many lines into a new data folder. */
async function traceLog(lines: number): Promise<string[][]> {
  const log = join(scratch, 'access.log')
  const written = Array.from({ length: lines }, (_, at) => {
    const time = `0${1 + (at % 9)}/Nov/2026:10:${String(at % 60).padStart(2, '0')}:00 +0000`
    return `192.0.2.${at % 200} - - [${time}] "GET /guide/page-${at % 50} HTTP/1.1" 200 1234 "-" "Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0"`
  })
  writeFileSync(log, `${written.join('\n')}\n`)
  const { data, project } = createProject()
  return run([join(root, 'server/main.ts'), 'visits', 'import', log, '--project', project, '--data', data])
}

/** Sends so many starts to a server. Its first export waits for a site that does not answer, so the others only begin. */
async function traceStarts(starts: number): Promise<string[][]> {
  const { data, org, project } = createProject()
  const site = createServer()
  await new Promise<void>(done => site.listen(0, '127.0.0.1', done))
  const origin = `http://127.0.0.1:${portOf(site)}/`
  quire(['sites', 'create', 'docs.example.com', '--project', project, '--origin', origin, '--no-probe', '--data', data])
  const { key } = quire(['keys', 'create', 'walk', '--org', org, '--data', data])
  const port = await findPort()
  const calls = await run(
    [join(root, 'server/main.ts'), 'serve', '--exports-at-once', '1', '--port', String(port), '--data', data],
    async () => {
      const url = `http://127.0.0.1:${port}`
      while (!(await fetch(`${url}/healthz`).catch(() => undefined))) await new Promise(done => setTimeout(done, 100))
      for (let at = 0; at < starts; at += 1) {
        const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' }
        const body = '{"domain":"docs.example.com"}'
        const { status } = await fetch(`${url}/v1/static-export/jobs`, { method: 'POST', headers, body })
        if (status !== 202) throw new Error(`The start of an export answered ${status}.`)
        // The runner has begun the first export before the others start, however many they are.
        if (at === 0) await new Promise(done => setTimeout(done, 4000))
      }
    },
  )
  site.close()
  return calls
}

function createProject(): { data: string; org: string; project: string } {
  const data = mkdtempSync(join(scratch, 'data-'))
  const org = String(quire(['orgs', 'create', 'Walks', '--plan', 'enterprise', '--data', data]).id)
  const project = String(quire(['projects', 'create', 'Docs', '--org', org, '--data', data]).id)
  return { data, org, project }
}

function quire(args: string[]): Record<string, unknown> {
  const program = join(root, 'server/main.ts')
  const stdio = ['ignore', 'pipe', 'ignore'] as const
  return JSON.parse(
    execFileSync(process.execPath, [program, ...args, '--json'], { encoding: 'utf8', stdio: [...stdio] }),
  )
}

function findPort(): Promise<number> {
  return new Promise(done => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const port = portOf(server)
      server.close(() => done(port))
    })
  })
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port
}

/** Runs a program with noted calls, and ends it when `work` is done. Returns the calls of each thread as file:name:line. */
async function run(args: string[], work?: () => Promise<void>): Promise<string[][]> {
  const folder = mkdtempSync(join(scratch, 'calls-'))
  const hook = join(root, 'scripts/walks/trace.mjs')
  const env = { ...process.env, QUIRE_WALK: folder, NODE_COMPILE_CACHE: undefined }
  const child = spawn(process.execPath, ['--import', hook, ...args], { env, stdio: ['ignore', 'ignore', 'inherit'] })
  const ended = new Promise<number | null>(done => child.on('exit', done))
  if (work) {
    await work()
    child.kill('SIGTERM')
  }
  const code = await ended
  if (code !== 0) throw new Error(`node ${args.join(' ')} ended with ${code}.`)
  return readdirSync(folder).map(file => readFileSync(join(folder, file), 'utf8').split('\n').filter(Boolean))
}

/** Counts the files and the changes of file of what runs more often with more items. */
function compare(few: string[][], many: string[][], moreItems: number): Walk {
  const fewer = countCalls(few)
  const walked = new Set(
    [...countCalls(many)].flatMap(([call, times]) => (times > (fewer.get(call) ?? 0) ? [call] : [])),
  )
  const countChanges = (threads: string[][]) => {
    let changes = 0
    for (const calls of threads) {
      let last = ''
      for (const call of calls) {
        if (!walked.has(call)) continue
        if (fileOf(call) !== last) changes += 1
        last = fileOf(call)
      }
    }
    return changes
  }
  const names = [
    ...new Set(
      many
        .flat()
        .filter(call => walked.has(call))
        .map(fileOf),
    ),
  ]
  return {
    files: names.length,
    changesPerItem: Math.round((countChanges(many) - countChanges(few)) / moreItems),
    names,
  }
}

function countCalls(threads: string[][]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const call of threads.flat()) counts.set(call, (counts.get(call) ?? 0) + 1)
  return counts
}

function fileOf(call: string): string {
  return call.slice(0, call.indexOf(':'))
}
