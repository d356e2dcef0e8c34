// A process that counts requests: `node limited-process.ts FOLDER-OR-URL CLOCK-SHIFT-MS`, started with an IPC channel.
import { openPostgresStore } from '../../server/store/postgres/store.ts'
import { openStore } from '../../server/store/store.ts'
import { takeRequest } from '../../server/tenancy/rate-limit.ts'
import { shiftClock } from './postgres/nodes/shift-clock.ts'

const [place = '', shiftMs = '0'] = process.argv.slice(2)
const store = place.includes('://') ? await openPostgresStore(place) : openStore(place)
shiftClock(Number(shiftMs))

process.on('message', async ({ budget, requests }: { budget: string; requests: number }) => {
  const limit = { budget, quota: 100, windowSeconds: 3600 }
  const decisions = await Promise.all(
    Array.from({ length: requests }, () => takeRequest(store.rateLimits, 'org_1', limit, Date.now)),
  )
  process.send?.(decisions.filter(({ allowed }) => allowed).length)
})
process.send?.('ready')
