import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { formatDay } from '../../server/analytics/day.ts'
import type { ReceivedVisits } from '../../server/analytics/import/delivery.ts'
import { generateAccessLog } from '../../server/commands/demo/access-log.ts'
import { openStore } from '../../server/store/store.ts'
import { countByBruteForce, toExactLabels } from '../analytics/brute-force.ts'
import { nameDemoAgents } from '../analytics/demo-agent-names.ts'
import { createRandom } from '../support/random.ts'
import { rounds } from '../support/rounds.ts'

const deliveries = rounds(10_000)
const linesPerDelivery = 12
const kills = rounds(100)
const senders = 8
const from = 20_740
const days = 30
const paths = ['/', ...Array.from({ length: 80 }, (_, i) => `/guide/page-${i}`)]

type Answer = { number: number; received: ReceivedVisits } | { number: number; error: string }

test(`after ${deliveries} deliveries, half of them sent twice, and ${kills} kills, each line counts once`, {
  timeout: 600_000,
}, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'quire-receive-long-'))
  const random = createRandom('receive-visits')
  const lines = [...generateAccessLog({ seed: 3, lines: deliveries * linesPerDelivery, from, to: from + days, paths })]
  const store = openStore(folder)
  store.organizations.insert({ id: 'org_1', name: 'Acme', plan: 'standard', createdAt: 0 })
  store.projects.insert({
    id: 'prj_1',
    organizationId: 'org_1',
    name: 'Docs',
    visitorSaltRotation: 'never',
    visitorRules: 2,
    createdAt: 0,
  })
  const left = [...Array(deliveries).keys()].flatMap(number => (number % 2 === 0 ? [number] : [number, number]))
  left.sort(() => random() - 0.5)
  const total = left.length
  const bodies = (number: number) => {
    const text = Buffer.from(lines.slice(number * linesPerDelivery, (number + 1) * linesPerDelivery).join('\n'))
    return (number % 2 === 0 ? gzipSync(text) : text).toString('base64')
  }

  /** Answered deliveries, and those that were sent to a program that was killed before it answered. */
  let answered = 0
  let unanswered = 0
  const program = join(import.meta.dirname, 'receive-program.ts')
  let child: ChildProcess
  const start = async () => {
    child = spawn(process.execPath, [program, folder], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
    await once(child, 'message')
  }
  /** Sends deliveries until the program has answered `count` of them, and kills it in the middle of the next ones. */
  const run = async (count: number, isLast: boolean) => {
    await start()
    const sent = new Set<number>()
    const byNumber = new Map<number, number>()
    let answers = 0
    await new Promise<void>((done, failed) => {
      const send = () => {
        const number = left.pop()
        if (number === undefined) return
        byNumber.set(number, (byNumber.get(number) ?? 0) + 1)
        sent.add(number)
        child.send({ number, body: bodies(number) })
      }
      child.on('message', (answer: Answer) => {
        if ('error' in answer) return failed(new Error(answer.error))
        answers++
        answered++
        byNumber.set(answer.number, (byNumber.get(answer.number) as number) - 1)
        if (answers === count || (isLast && left.length === 0 && answered === total)) done()
        else send()
      })
      child.on('exit', () => failed(new Error('The program ended.')))
      for (let i = 0; i < senders; i++) send()
    }).finally(() => child.removeAllListeners())
    if (!isLast) await new Promise(done => setTimeout(done, random() * 15))
    // An answer that is under way is lost with the program, so its sender sends again.
    child.kill('SIGKILL')
    await once(child, 'exit')
    for (const [number, times] of byNumber) {
      for (let i = 0; i < times; i++) {
        unanswered++
        left.splice(Math.floor(random() * left.length), 0, number)
      }
    }
  }
  try {
    for (let kill = 0; kill < kills; kill++) await run(Math.floor((total - answered) / (kills + 1 - kill)), false)
    await run(Number.POSITIVE_INFINITY, true)
    expect(answered).toBe(total)
    expect(unanswered).toBeGreaterThan(kills)
    const spans = [[from - 1, from + days + 1] as const, [from + 3, from + 17] as const]
    const ranges = spans.map(([first, end]) => [formatDay(first), formatDay(end)] as const)
    const want = countByBruteForce(lines, nameDemoAgents(), ranges, Date.now())
    for (const [i, [dateFrom, dateTo]] of spans.entries()) {
      const { totals, visitors } = await store.visits.countUniqueVisitors(
        'prj_1',
        { dateFrom, dateTo },
        { limit: 250, offset: 0 },
      )
      expect(totals).toEqual({ human: want[i]?.human, ai: want[i]?.ai, total: want[i]?.total })
      const pages = Object.fromEntries(visitors.map(({ path, human, ai, total }) => [path, [human, ai, total]]))
      expect(pages).toEqual(want[i]?.pages)
      expect(toExactLabels(store.visits.countLabels('prj_1', { dateFrom, dateTo }))).toEqual(want[i]?.labels)
    }
    expect(want[0]?.total).toBeGreaterThan(1000)
  } finally {
    store.close()
    rmSync(folder, { recursive: true, force: true })
  }
})
