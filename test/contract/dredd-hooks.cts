// Runs inside Dredd. Changes each request so that it gets the documented status, and checks the answer against its schema.
const { readFileSync, writeFileSync } = require('node:fs')
const Ajv = require('ajv/dist/2020')
const addFormats = require('ajv-formats')
const hooks = require('hooks')
const { openChanges } = require('./dredd-database.cts')
const { changeRequest, tables, unreached } = require('./dredd-requests.cts')
const { askWhileUnavailable } = require('./dredd-unavailable.cts')

interface Transaction {
  name: string
  fullPath: string
  skip: boolean
  fail: boolean | string
  request: { method: string; uri: string; headers: Record<string, string>; body: string }
  expected: { statusCode: string; headers: Record<string, string>; body?: string; bodySchema?: object }
  real: { statusCode: string; headers: Record<string, string>; body: string }
  test?: { status: string; message: string }
}

interface Documented {
  operationId: string
  method: string
  path: string
  status: number
  mediaType?: string
  schema: object
  headers: Record<string, { schema: object; required?: boolean }>
}

const { documented, resultFile, ...state } = JSON.parse(readFileSync(process.env.QUIRE_DREDD ?? '', 'utf8')) as {
  documented: Documented[]
  resultFile: string
  url: string
} & import('./dredd-state.ts').DreddState

const changes = openChanges(state)
const ajv = new Ajv.default({ strict: false, allErrors: true })
addFormats.default(ajv)

const reasonOf = ({ operationId, status }: Documented) => unreached[`${operationId} ${status}`]
let endAnswers = () => {}

hooks.beforeAll(async (transactions: Transaction[], done: () => void) => {
  const unavailable = transactions.filter(({ expected }) => expected.statusCode === '503')
  // They come last, because all of them are sent before the first.
  transactions.sort((a, b) => Number(unavailable.includes(a)) - Number(unavailable.includes(b)))
  const isReached = (transaction: Transaction) => reasonOf(findDocumented(transaction)) === undefined
  for (const transaction of transactions) prepare(transaction)
  await sendMegabyte()
  endAnswers = await askWhileUnavailable(unavailable.filter(isReached), { url: state.url, changes })
  done()
})

/** Sends more than the megabyte that is counted at once, for the organization that has spent its bytes. */
async function sendMegabyte(): Promise<void> {
  const { key, projectId } = state.spent
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'text/plain' }
  const url = `${state.url}/quire/v1/projects/${projectId}/visits`
  // The server accepts bodies of 100,000 bytes.
  for (let sent = 0; sent < 11; sent++) await fetch(url, { method: 'POST', headers, body: 'a\n'.repeat(50_000) })
}

/** Sends the page views that an address may send in a minute, and not at the end of one: Dredd asks in the same minute. */
async function spendViews({ fullPath, request: { method, headers } }: Transaction): Promise<void> {
  for (let sent = 0; sent < 1000; sent++) {
    const answer = await fetch(`${state.url}${fullPath}`, { method, headers })
    const left = Number(answer.headers.get('Retry-After'))
    if (answer.status === 429 && left > 10) return
    if (answer.status === 429) await new Promise(done => setTimeout(done, left * 1000))
  }
}

/** Changes the request, and what Dredd compares. */
function prepare(transaction: Transaction): void {
  const response = findDocumented(transaction)
  transaction.skip = reasonOf(response) !== undefined
  transaction.fullPath = changeRequest(transaction, response, state)
  // Dredd compares both literally, but charset and example values are not part of the contract.
  transaction.expected.headers = {}
  // Dredd cannot check a schema of a text; `check` does.
  if (response.mediaType === 'application/json') transaction.expected.bodySchema = response.schema
  delete transaction.expected.body
}

hooks.beforeEach(async (transaction: Transaction, done: () => void) => {
  const { operationId, status } = findDocumented(transaction)
  if (status === 304) transaction.request.headers['If-None-Match'] = await fetchETag(transaction)
  // Again, because on a slow machine the budget has refilled by one since the state was prepared.
  if (status === 429) await changes.spendBudget(state.spent.projectId)
  if (status === 429 && operationId === 'sendPageView') await spendViews(transaction)
  if (status === 500) await changes.renameTable(tables[operationId], `${tables[operationId]}_away`)
  done()
})

hooks.afterEach(async (transaction: Transaction, done: () => void) => {
  const response = findDocumented(transaction)
  const table = tables[response.operationId]
  if (response.status === 500) await changes.renameTable(`${table}_away`, table)
  const findings = transaction.skip ? [] : check(transaction, response)
  if (findings.length > 0) transaction.fail = findings.join('; ')
  done()
})

hooks.afterAll((transactions: Transaction[], done: () => void) => {
  endAnswers()
  // One response may have several transactions, one for each media type of the request.
  const count = (some: Transaction[]) => new Set(some.map(findDocumented)).size
  const reached = transactions.filter(({ skip }) => !skip)
  const failed = reached.filter(({ test, fail }) => test?.status !== 'pass' || fail)
  for (const { name, fail, test, real } of failed)
    console.log(`FAILED ${name}: ${fail || test?.message} ${real?.body ?? ''}`)
  const passed = count(reached) - count(failed)
  const result = { passed, failed: failed.length, skipped: 0, excused: documented.filter(reasonOf).length }
  writeFileSync(resultFile, JSON.stringify(result))
  done()
})

function findDocumented(transaction: Transaction): Documented {
  const found = documented.find(
    ({ method, path, status, mediaType }) =>
      transaction.request.method.toLowerCase() === method &&
      transaction.name.startsWith(`${path} > `) &&
      transaction.expected.statusCode === String(status) &&
      (mediaType === undefined || transaction.request.headers.Accept === mediaType),
  )
  if (!found) throw new Error(`${transaction.name} is not documented.`)
  return found
}

/** Returns the ETag of the answer that the request gets now. */
async function fetchETag({ fullPath, request }: Transaction): Promise<string> {
  const { 'If-None-Match': _, ...headers } = request.headers
  const answer = await fetch(state.url + fullPath, { headers })
  return answer.headers.get('ETag') ?? 'no ETag'
}

/** Checks what Dredd does not check: formats, extra properties and the declared headers. */
function check({ real }: Transaction, { status, mediaType, schema, headers }: Documented): string[] {
  if (Number(real.statusCode) !== status) return [`status ${real.statusCode} instead of ${status}`]
  const findings: string[] = []
  const validate = (name: string, given: object, value: unknown) => {
    if (!ajv.validate(given, value)) findings.push(`${name}: ${ajv.errorsText()}`)
  }
  if (mediaType === undefined) validate('body', { const: '' }, real.body ?? '')
  else validate('body', schema, /json$/.test(mediaType) ? JSON.parse(real.body) : real.body)
  for (const [name, header] of Object.entries(headers)) {
    const value = real.headers[name.toLowerCase()]
    const type = (header.schema as { type?: string }).type
    if (value !== undefined) validate(name, header.schema, type === 'integer' ? Number(value) : value)
    else if (header.required) findings.push(`the header ${name} is missing`)
  }
  return findings
}
