// Runs inside Dredd. Changes each request so that it gets the documented status, and checks the answer against its schema.
const { readFileSync, writeFileSync } = require('node:fs')
const Ajv = require('ajv/dist/2020')
const addFormats = require('ajv-formats')
const hooks = require('hooks')
const { openChanges } = require('./dredd-database.cts')

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

/** A table that the operation needs and the check of the key does not. Without it, the answer is 500. */
const tables: Record<string, string> = {
  getAgentJob: 'agent_jobs',
  getUniqueVisitors: 'day_counters',
  startStaticExportJob: 'sites',
  getStaticExportJob: 'export_jobs',
  generateStaticExportBundle: 'export_jobs',
}

hooks.beforeEach(async (transaction: Transaction, done: () => void) => {
  const response = findDocumented(transaction)
  transaction.skip = false
  transaction.request.headers.Authorization = `Bearer ${state.key}`
  setPath(transaction, response)
  await ask(transaction, response)
  if (response.status === 304) transaction.request.headers['If-None-Match'] = await fetchETag(transaction)
  // Dredd compares both literally, but charset and example values are not part of the contract.
  transaction.expected.headers = {}
  // Dredd cannot check a schema of a text; `check` does.
  if (response.mediaType === 'application/json') transaction.expected.bodySchema = response.schema
  delete transaction.expected.body
  done()
})

hooks.afterEach(async (transaction: Transaction, done: () => void) => {
  const response = findDocumented(transaction)
  const table = tables[response.operationId]
  if (response.status === 500) await changes.renameTable(`${table}_away`, table)
  if (response.status === 503) await changes.unlock()
  const findings = check(transaction, response)
  if (findings.length > 0) transaction.fail = findings.join('; ')
  done()
})

hooks.afterAll((transactions: Transaction[], done: () => void) => {
  const failed = transactions.filter(({ test, fail }) => test?.status !== 'pass' || fail)
  for (const { name, fail, test, real } of failed)
    console.log(`FAILED ${name}: ${fail || test?.message} ${real?.body ?? ''}`)
  const skipped = transactions.filter(({ test }) => test?.status === 'skip').length
  const result = { passed: transactions.length - failed.length, failed: failed.length - skipped, skipped }
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

function setPath(transaction: Transaction, { path, operationId, status }: Documented): void {
  const jobId =
    operationId === 'generateStaticExportBundle' && status === 409 ? state.runningJobId : state.completedJobId
  const ids: Record<string, string> = { projectId: state.projectId, id: state.agentJobId, jobId }
  if (status === 404) Object.assign(ids, { projectId: state.foreign.projectId, jobId: state.foreign.jobId })
  if (status === 429) ids.projectId = state.spent.projectId
  const query = transaction.fullPath.split('?')[1]
  const target = path.replaceAll(/\{(\w+)\}/g, (_, name) => ids[name] as string)
  transaction.fullPath = query === undefined ? target : `${target}?${query}`
}

/** Changes a valid request so that it gets the documented status. */
async function ask(transaction: Transaction, { operationId, status, mediaType }: Documented): Promise<void> {
  const { request } = transaction
  // A CSV has all pages.
  if (mediaType === 'text/csv') transaction.fullPath = transaction.fullPath.replaceAll(/(limit|offset)=\d+&?/g, '')
  const starts = operationId === 'startStaticExportJob'
  if (starts) {
    request.headers['Idempotency-Key'] = `dredd-${status}`
    request.body = JSON.stringify({ domain: state.domain })
  }
  switch (status) {
    case 400:
      if (starts) request.body = JSON.stringify({ domain: 'https://docs.example.com/' })
      else transaction.fullPath += `${transaction.fullPath.includes('?') ? '&' : '?'}unknown=1`
      break
    case 401:
      delete request.headers.Authorization
      break
    case 403:
      request.headers.Authorization = `Bearer ${request.method === 'GET' ? state.ingestKey : state.readOnlyKey}`
      break
    case 409:
      // The Idempotency-Key of the transaction for 202, which ran before, with another body.
      if (starts) {
        request.headers['Idempotency-Key'] = 'dredd-202'
        request.body = JSON.stringify({ domain: state.domain, format: 'tar.gz' })
      }
      break
    case 413:
      request.body = JSON.stringify({ domain: state.domain, version: 'a'.repeat(2_000_000) })
      break
    case 415:
      request.headers['Content-Type'] = 'text/plain'
      break
    case 429:
      request.headers.Authorization = `Bearer ${state.spent.key}`
      // Again, because on a slow machine the budget has refilled by one since the state was prepared.
      await changes.spendBudget(state.spent.projectId)
      if (starts) request.body = JSON.stringify({ domain: state.spent.domain })
      break
    case 500:
      await changes.renameTable(tables[operationId], `${tables[operationId]}_away`)
      break
    case 503:
      await changes.lock()
      break
    default:
  }
  delete request.headers['Content-Length'] // was the length of the replaced body
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
