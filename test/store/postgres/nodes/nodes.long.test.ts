import { type ChildProcess, fork } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openPostgresStore, type PostgresStore } from '../../../../server/store/postgres/store.ts'
import { queuedJob } from '../../../support/export-job.ts'
import { createTestDatabase, findPostgres, type TestDatabase } from '../../../support/postgres/test-database.ts'
import { type RunningProgram, startProgram } from '../../../support/program.ts'
import { createRandom } from '../../../support/random.ts'
import { rounds } from '../../../support/rounds.ts'
import { leaseMs, shiftMs, workMs } from './settings.ts'

const postgres = await findPostgres()
const random = createRandom('nodes')
const shifts = [-shiftMs, 0, shiftMs]
const here = import.meta.dirname
const times = rounds(100)
const kills = rounds(100)
const stalls = rounds(20)

describe.skipIf('missing' in postgres)('three processes on one PostgreSQL, whose clocks differ', () => {
  let database: TestDatabase
  let store: PostgresStore
  beforeAll(async () => {
    database = await createTestDatabase((postgres as { url: string }).url)
  })
  afterAll(() => database.drop())
  beforeEach(async () => {
    await database.clear()
    store = await openPostgresStore(database.url)
    for (const id of ['org_1', 'org_2'])
      await store.organizations.insert({ id, name: 'Acme', plan: 'enterprise', createdAt: Date.now() })
    return () => store.close()
  })

  test(`let exactly 100 of 200 requests through, ${times} times`, async () => {
    const nodes = shifts.map(shift => fork(join(here, '../../limited-process.ts'), [database.url, String(shift)]))
    await Promise.all(nodes.map(next))
    const ask = (node: ChildProcess, message: object) => {
      node.send(message)
      return next(node)
    }
    try {
      for (let round = 1; round <= times; round += 1) {
        const shares = [67, 67, 66].map((requests, i) =>
          ask(nodes[i] as ChildProcess, { budget: `round ${round}`, requests }),
        )
        const allowed = (await Promise.all(shares)).map(Number)
        expect({ round, allowed: allowed.reduce((sum, count) => sum + count, 0) }).toEqual({ round, allowed: 100 })
      }
    } finally {
      for (const node of nodes) node.kill('SIGKILL')
    }
  })

  test(`lose no job and complete none twice, with ${kills} kills and ${stalls} stalls beyond the lease`, async () => {
    await database.run(`CREATE TABLE completions (job_id text, token bigint);
      CREATE FUNCTION note_completion() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN INSERT INTO completions VALUES (NEW.job_id, NEW.lease_token); RETURN NULL; END $$;
      CREATE TRIGGER completion AFTER UPDATE ON export_jobs FOR EACH ROW
        WHEN (NEW.status = 'completed' AND (OLD.status, OLD.bundle_file) IS DISTINCT FROM (NEW.status, NEW.bundle_file))
        EXECUTE FUNCTION note_completion()`)
    const folder = mkdtempSync(join(tmpdir(), 'quire-nodes-'))
    const lanes = shifts.map((shift, i) => openLane(database, `runner ${i}`, shift, folder))
    const accepted: string[] = []
    try {
      const events = shuffle<'kill' | 'stall'>([...Array(kills).fill('kill'), ...Array(stalls).fill('stall')])
      const disturbed = Promise.all(
        lanes.map(async lane => {
          for (let event = events.pop(); event !== undefined; event = events.pop()) await lane[event]()
        }),
      )
      let isOver = false
      const supplied = supply(store, accepted, () => isOver)
      await disturbed.finally(() => {
        isOver = true
      })
      await supplied
      await expect.poll(() => countOpen(store), { timeout: 60_000 }).toBe(0)
    } finally {
      for (const lane of lanes) await lane.end()
    }
    const completions = await database.run('SELECT job_id FROM completions ORDER BY job_id COLLATE "C"')
    expect(completions.map(({ job_id }) => job_id)).toEqual([...accepted].sort())
    for (const jobId of accepted) expect(await judge(store, folder, jobId)).toBe('as recorded')
    const [{ interrupted = 0 } = {}] = await database.run(
      'SELECT sum(interruptions)::integer AS interrupted FROM export_jobs',
    )
    console.log(`${accepted.length} jobs were interrupted ${interrupted} times.`)
    expect(accepted.length).toBeGreaterThan(kills)
    expect(Number(interrupted)).toBeGreaterThan(stalls)
    rmSync(folder, { recursive: true })
  })
})

const next = async (node: ChildProcess): Promise<unknown> => (await once(node, 'message'))[0]

function shuffle<T>(items: T[]): T[] {
  return items
    .map(item => ({ item, order: random() }))
    .sort((a, b) => a.order - b.order)
    .map(({ item }) => item)
}

/** Queues jobs until it is over, so that there is always one to claim. */
async function supply(store: PostgresStore, accepted: string[], isOver: () => boolean): Promise<void> {
  for (; !isOver(); await pause(20)) {
    if ((await countOpen(store)) > 60) continue
    const jobId = `se_${accepted.length}`
    const organizationId = `org_${1 + (accepted.length % 2)}`
    await store.exportJobs.start(queuedJob({ jobId, organizationId, createdAt: Date.now() }), undefined, 0)
    accepted.push(jobId)
  }
}

async function countOpen({ exportJobs }: PostgresStore): Promise<number> {
  const counts = await Promise.all(['org_1', 'org_2'].map(id => exportJobs.countOpen(id)))
  return counts.reduce((sum, { queued, running }) => sum + queued + running, 0)
}

async function judge({ exportJobs }: PostgresStore, folder: string, jobId: string): Promise<string> {
  const job = await exportJobs.find(jobId)
  if (!job?.bundle) return `${job?.status}`
  const bytes = readFileSync(join(folder, job.bundle.fileName))
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  return sha256 === job.bundle.sha256 && bytes.length === job.bundle.sizeBytes ? 'as recorded' : 'damaged'
}

/** A runner that is started again when it is killed. */
function openLane(database: TestDatabase, name: string, shift: number, folder: string) {
  const start = () => startProgram([join(here, 'runner-process.ts'), database.url, name, String(shift), folder])
  let program: RunningProgram = start()
  let seen = 0
  /** Waits for the next claim. */
  const claim = async () => {
    const claims = (output: string) => [...output.matchAll(/^claimed (\S+) (\d+)$/gm)].slice(seen)
    const found = await program.read(output => claims(output).at(-1))
    seen += claims(program.output()).length
    return { jobId: String(found[1]), token: Number(found[2]) }
  }
  return {
    async kill() {
      for (let jobs = Math.ceil(random() * 3); jobs > 0; jobs -= 1) await claim()
      await pause(random() * workMs * 1.2)
      await program.end('SIGKILL')
      program = start()
      seen = 0
    },
    /** Stops the process until another one has its job. Its completion is refused then. */
    async stall() {
      for (;;) {
        const { jobId, token } = await claim()
        program.child.kill('SIGSTOP')
        const endsAt = performance.now() + 10 * leaseMs
        let isTaken = false
        while (!isTaken && performance.now() < endsAt) {
          await pause(50)
          const [row] = await database.run(`SELECT status, lease_token FROM export_jobs WHERE job_id = '${jobId}'`)
          isTaken = Number(row?.lease_token) > token
          if (!isTaken && row?.status === 'completed') break
        }
        program.child.kill('SIGCONT')
        // It had completed the job when it was stopped.
        if (!isTaken) continue
        await program.read(output => output.includes(`refused ${jobId} ${token}\n`))
        return
      }
    },
    end: async () => void (await program.end('SIGKILL')),
  }
}
