// Runs inside Dredd. A 503 takes as long as the server waits for a lock (4.5 s), so the requests for it are sent at once. Dredd gets
// the answers from a small server here, which changes nothing in them.
const { createServer, request } = require('node:http')

interface Transaction {
  fullPath: string
  port: string
  request: { method: string; headers: Record<string, string>; body: string }
}

interface Answer {
  status: number
  headers: Record<string, string>
  body: string
}

/** More deliveries of one target than may wait. */
const heldDeliveries = 40

/** Sends all requests while the database is locked and too many deliveries wait, and leads the transactions to the answers. */
exports.askWhileUnavailable = async (
  transactions: Transaction[],
  { url, changes }: { url: string; changes: { lock(): Promise<void>; unlock(): Promise<void> } },
): Promise<() => void> => {
  const held = transactions.filter(isDelivery).flatMap(transaction => holdDeliveries(url, transaction))
  await changes.lock()
  const answers = await Promise.all(transactions.map(transaction => ask(url, transaction)))
  await changes.unlock()
  for (const delivery of held) delivery.destroy()
  const server = createServer((req: import('node:http').IncomingMessage, res: import('node:http').ServerResponse) => {
    const { status, headers, body } = answers[Number(req.url?.slice(1))] as Answer
    res.writeHead(status, headers).end(body)
  })
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as import('node:net').AddressInfo
  for (const [index, transaction] of transactions.entries()) {
    Object.assign(transaction, { port: String(port), fullPath: `/${index}` })
  }
  return () => server.close()
}

const isDelivery = ({ fullPath }: Transaction) => /\/visits(\?|$)/.test(fullPath)

/** Begins deliveries, and never sends the rest of them. */
function holdDeliveries(url: string, { fullPath, request: { method, headers } }: Transaction) {
  return Array.from({ length: heldDeliveries }, () => {
    const delivery = request(url + fullPath, { method, headers, agent: false })
    delivery.on('error', () => {}).on('response', (res: import('node:http').IncomingMessage) => res.resume())
    delivery.write(' ')
    return delivery
  })
}

async function ask(url: string, transaction: Transaction): Promise<Answer> {
  const { method, headers, body } = transaction.request
  const endsAt = Date.now() + 4000
  for (;;) {
    const answer = await fetch(url + transaction.fullPath, { method, headers, ...(method !== 'GET' && { body }) })
    const { connection: _, 'transfer-encoding': _coding, ...kept } = Object.fromEntries(answer.headers)
    const read = { status: answer.status, headers: kept, body: await answer.text() }
    // The held deliveries may come later.
    if (read.status === 503 || !isDelivery(transaction) || Date.now() > endsAt) return read
  }
}
