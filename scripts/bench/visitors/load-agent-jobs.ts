// Requests agent jobs at a steady rate until it receives a stop message. It is a separate process, because the main process
// samples memory four times a second, and that would distort times in milliseconds.
import { type PacedOptions, runPaced } from './paced-load.ts'

process.on('disconnect', () => process.exit(1))
process.once('message', async (options: Omit<PacedOptions, 'until'>) => {
  try {
    // These requests warm up both processes and are not measured.
    await runPaced({ ...options, until: new Promise(stop => setTimeout(stop, 300)) })
    const until = new Promise(stop => process.once('message', stop))
    process.send?.('started')
    process.send?.(await runPaced({ ...options, until }))
  } catch (error) {
    console.error(error)
    process.exit(1)
  }
})
