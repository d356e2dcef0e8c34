// Asks for agent jobs at a steady pace until it is told to stop, as a process of its own: whoever measures memory of others
// four times a second must not be the one who measures milliseconds.
import { type PacedOptions, runPaced } from './paced-load.ts'

process.on('disconnect', () => process.exit(1))
process.once('message', async (options: Omit<PacedOptions, 'until'>) => {
  try {
    // What starting costs, here and in the server, is none of the times.
    await runPaced({ ...options, until: new Promise(stop => setTimeout(stop, 300)) })
    const until = new Promise(stop => process.once('message', stop))
    process.send?.('started')
    process.send?.(await runPaced({ ...options, until }))
  } catch (error) {
    console.error(error)
    process.exit(1)
  }
})
