// Quire as run by `quire serve > FILE`: default settings, and the log in a file.
import { destination, pino } from 'pino'
import { readConfig, type ServeFlags, serveSettings } from '../../../server/flags/serve-settings.ts'
import type { Setting } from '../../../server/flags/setting.ts'
import { startServer } from '../../../server/server.ts'
import { reportAddress, setting } from './child.ts'

const defaults = Object.fromEntries(Object.entries<Setting>(serveSettings).map(([name, row]) => [name, row.default]))
const database = setting('BENCH_DATABASE')
const config = readConfig({
  ...(defaults as unknown as ServeFlags),
  data: setting('BENCH_DATA'),
  ...(database && { database }),
  port: 0,
  ...(setting('BENCH_METRICS') && { metricsAddress: { host: '127.0.0.1', port: 0 } }),
  logLevel: setting('BENCH_LOG_LEVEL'),
})
const { url } = await startServer(config, pino({ level: config.logLevel }, destination(setting('BENCH_LOG_FILE'))))
reportAddress(url)
