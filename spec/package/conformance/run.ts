import { randomBytes } from 'node:crypto'
import { type CheckName, checkNames } from './checks.ts'
import type { Send } from './exchange.ts'
import { type GeneratedCount, runGenerated } from './generate/run-generated.ts'
import { linkLaw } from './laws/bundle-link.ts'
import { exportLaw } from './laws/export-job.ts'
import { cursorLaw, deletionLaw, extensionLaw } from './laws/extensions.ts'
import { isolationLaw } from './laws/isolation.ts'
import { keyLaw } from './laws/keys.ts'
import type { Law } from './laws/law.ts'
import { methodLaw, pathLaw, refusalLaw, requestIdLaw, unknownLaw } from './laws/paths.ts'
import { rateEnforcementLaw, rateHeadersLaw } from './laws/rate-limit.ts'
import { conditionalLaw, csvLaw } from './laws/visitor-answers.ts'
import { dateLaw } from './laws/visitor-dates.ts'
import { paginationLaw } from './laws/visitor-pages.ts'
import { readExtensions, readOperations } from './operations.ts'
import { reachServer } from './reach.ts'
import { type CheckResult, createRecorder, type Failure } from './recorder.ts'
import { createSecrets } from './secrets.ts'
import { createSender } from './send.ts'
import { createSession, LawSkipped, type Session } from './session.ts'
import { fillSettings, type GivenSettings, type Settings } from './settings.ts'
import { listUnreached, type Unreached } from './unreached.ts'

/** What a run found. It contains no secret. */
export interface Report {
  url: string
  seed: number
  requests: number
  /** Requests that were made from the document. */
  generated: GeneratedCount[]
  checks: CheckResult[]
  failures: Failure[]
  /** How often each status was the answer, by operation. */
  statuses: Record<string, Record<string, number>>
  documentedResponses: number
  unreached: Unreached[]
}

export interface RunOptions {
  /** The OpenAPI document: quire-spec/openapi.json, parsed. */
  document: object
  /** The second document: quire-spec/extensions/openapi.json, parsed. Default: what Quire adds is not checked. */
  extensions?: object | undefined
  /** `url` and `key` at least. */
  settings: GivenSettings
  /** Sends the requests. Default: over HTTP, to `url`. */
  send?: Send
}

/** In this order: what does not spend the budget of the analytics operations first. */
const laws: readonly Law[] = [
  extensionLaw,
  cursorLaw,
  keyLaw,
  methodLaw,
  pathLaw,
  requestIdLaw,
  refusalLaw,
  exportLaw,
  linkLaw,
  dateLaw,
  paginationLaw,
  conditionalLaw,
  csvLaw,
  rateHeadersLaw,
  isolationLaw,
  unknownLaw,
]

/**
 * Checks a server against the document. It starts exports, and spends the analytics budget of the organization.
 *
 * @throws {RunStopped} if the server cannot be checked: a sentence that says why
 */
export async function runConformance({ document, extensions, settings: given, send }: RunOptions): Promise<Report> {
  const settings = fillSettings(given)
  if (send) return run({ document, extensions }, settings, send)
  const sender = createSender(settings)
  try {
    return await run({ document, extensions }, settings, sender.send)
  } finally {
    sender.close()
  }
}

async function run(
  { document, extensions: second }: Pick<RunOptions, 'document' | 'extensions'>,
  settings: Settings,
  send: Send,
): Promise<Report> {
  const operations = readOperations(document)
  const extensions = second ? readExtensions(second) : []
  const chosen = new Set(checkNames.filter(name => !settings.excluded.includes(name)))
  const recorder = createRecorder(chosen)
  const secrets = createSecrets()
  const keys = {
    KEY: settings.key,
    OTHER_KEY: settings.otherKey,
    READ_KEY: settings.readKey,
    WRITE_KEY: settings.writeKey,
  }
  for (const [name, key] of Object.entries(keys)) if (key !== undefined) secrets.add(key, name)
  const nonce = randomBytes(6).toString('hex')
  const session = createSession({ settings, operations, extensions, recorder, secrets, send, nonce })
  await reachServer(session, send)
  for (const law of laws) await tryLaw(session, law, chosen)
  const generated = await runGenerated(session)
  await tryLaw(session, deletionLaw, chosen)
  await tryLaw(session, rateEnforcementLaw, chosen)
  return {
    url: settings.url,
    seed: settings.seed,
    requests: session.requests,
    generated,
    checks: recorder.results(),
    failures: recorder.failures(),
    statuses: Object.fromEntries([...session.statuses].map(([id, counts]) => [id, Object.fromEntries(counts)])),
    ...nameUnreached(session),
  }
}

function nameUnreached(session: Session): Pick<Report, 'documentedResponses' | 'unreached'> {
  const { documented, unreached } = listUnreached(session)
  return { documentedResponses: documented, unreached }
}

async function tryLaw(session: Session, law: Law, chosen: ReadonlySet<CheckName>): Promise<void> {
  if (!law.checks.some(name => chosen.has(name))) return
  try {
    await law.run(session)
  } catch (error) {
    if (!(error instanceof LawSkipped)) throw error
    const { recorder, secrets } = session
    const { reason } = error
    const open = recorder.results().flatMap(({ check, passed, failed }) => (passed + failed === 0 ? [check] : []))
    for (const name of law.checks) {
      if (reason !== undefined) recorder.skip(name, secrets.mask(reason))
      else if (open.includes(name)) recorder.skip(name, 'An answer that it needs failed another check.')
    }
  }
}
