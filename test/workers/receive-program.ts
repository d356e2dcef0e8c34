// Receives deliveries from its parent until it is killed, as a server would from HTTP.
//
//   node test/workers/receive-program.ts DATA_FOLDER
//
// Messages: {number, body}; answers: {number, received} once the visits are recorded, or {number, error}.
import { startReceivingVisits } from '../../server/workers/receive-visits.ts'

const receiver = startReceivingVisits({ setup: { dataFolder: process.argv[2] as string } })

process.on('message', async ({ number, body }: { number: number; body: string }) => {
  async function* chunks() {
    yield Buffer.from(body, 'base64')
  }
  const delivery = { target: { projectId: 'prj_1' }, encoding: number % 2 === 0 ? 'gzip' : undefined }
  const answer = await receiver.receive(delivery, chunks()).then(
    received => ({ number, received }),
    (error: Error) => ({ number, error: error.message }),
  )
  process.send?.(answer)
})
process.send?.('ready')
