// Quire as run by `quire serve > FILE`: default settings, and the log in a file.
import { destination, pino } from 'pino'
import { readConfig, type ServeFlags, serveOptions } from '../../../server/flags/serve-options.ts'
import { startServer } from '../../../server/server.ts'
import { reportAddress, setting } from './child.ts'

const defaults = Object.fromEntries(serveOptions().map(option => [option.attributeName(), option.defaultValue]))
const database = setting('BENCH_DATABASE')
const config = readConfig({
  ...(defaults as unknown as ServeFlags),
  data: setting('BENCH_DATA'),
  ...(database && { database }),
  port: 0,
  logLevel: setting('BENCH_LOG_LEVEL'),
})
const { url } = await startServer(config, pino({ level: config.logLevel }, destination(setting('BENCH_LOG_FILE'))))
reportAddress(url)
