// Asks for agent jobs at a steady pace until it is told to stop, as a process of its own: whoever measures memory of others
// four times a second must not be the one who measures milliseconds.
import { type PacedOptions, runPaced } from './paced-load.ts'

process.on('disconnect', () => process.exit(1))
process.once('message', async ({ url, headers, exchanges, everyMs }: Omit<PacedOptions, 'until'>) => {
  const until = new Promise(stop => process.once('message', stop))
  try {
    process.send?.(await runPaced({ url, headers, exchanges, everyMs, until }))
  } catch (error) {
    console.error(error)
    process.exit(1)
  }
})
