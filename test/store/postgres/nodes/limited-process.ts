// A node that counts requests: `node limited-process.ts URL CLOCK-SHIFT-MS`, started with an IPC channel.
import { openPostgresStore } from '../../../../server/store/postgres/store.ts'
import { takeRequest } from '../../../../server/tenancy/rate-limit.ts'
import { shiftClock } from './shift-clock.ts'

const [url = '', shiftMs = '0'] = process.argv.slice(2)
const store = await openPostgresStore(url)
shiftClock(Number(shiftMs))

process.on('message', async ({ budget, requests }: { budget: string; requests: number }) => {
  const limit = { budget, quota: 100, windowSeconds: 3600 }
  const decisions = await Promise.all(
    Array.from({ length: requests }, () => takeRequest(store.rateLimits, 'org_1', limit, Date.now())),
  )
  process.send?.(decisions.filter(({ allowed }) => allowed).length)
})
process.send?.('ready')
