import type { RequestListener } from 'node:http'
import { join } from 'node:path'
import { checkSignature } from '../analytics/drains/vercel.ts'
import type { VisitReportReader } from '../analytics/report/report-view.ts'
import type { VisitorReader } from '../analytics/unique-visitors.ts'
import { type AppOptions, createApp } from '../app.ts'
import { readAsset } from '../assets.ts'
import type { Background } from '../base/background.ts'
import { hashText } from '../base/digest.ts'
import type { Config } from '../config.ts'
import type { DashboardDeps } from '../dashboard/deps.ts'
import type { ApiDocument } from '../docs/api-document.ts'
import { createBundleLinks, createPresignLink, type LinkKeys } from '../export/jobs/bundle-link.ts'
import { createPreviewLinks } from '../export/jobs/preview-links.ts'
import { createBundleSigner, type SignBundle } from '../export/jobs/sign-bundle.ts'
import { createClientFinder } from '../host/serve/client-address.ts'
import type { Finders } from '../http/admit.ts'
import type { DocumentTexts } from '../http/document.ts'
import type { LoadDocumentation } from '../http/documentation.ts'
import { extensions } from '../http/served-routes.ts'
import { createServerAddress } from '../http/server-address.ts'
import { openValidator, type Validator } from '../http/validator.ts'
import type { ExtensionDeps } from '../operations/extensions/deps.ts'
import { openLinkKeys } from '../store/link-keys.ts'
import { agreeOnLinkKey, openSharedLinkKeys } from '../store/shared-link-keys.ts'
import { forgetSite, siteCachesFolder } from '../store/site-cache/site-caches.ts'
import { openSecretBox } from '../store/webhook-keys.ts'
import { createId } from '../tenancy/id.ts'
import { createByteLimit } from '../tenancy/rate-limit.ts'
import { createStreamLimit } from '../tenancy/stream-limit.ts'
import { createViewLimit } from '../tenancy/view-limit.ts'
import { issueSecret, issueWebhook } from '../webhooks/issue-webhook.ts'
import { type BundleComparison, createComparison } from '../workers/compare-in-thread.ts'
import { startVisitorCounting } from '../workers/count-visitors.ts'
import { probeInThread } from '../workers/probe-in-thread.ts'
import { startReceivingVisits } from '../workers/receive-visits.ts'
import { createAgentCheck } from './background-work.ts'
import { type BundlePreviews, createBundlePreviews } from './bundle-previews.ts'
import type { Parts } from './parts.ts'

/** What the API needs before the server listens. */
export interface PreparedApi {
  documentTexts: DocumentTexts
  extensionTexts: DocumentTexts
  document: ApiDocument
  validator: Validator
  extensionsValidator: Validator
  linkKeys: LinkKeys
  visits: VisitorReader & VisitReportReader
  signBundle: SignBundle
  comparison: BundleComparison
  previews: BundlePreviews
  extensions: Pick<ExtensionDeps, 'visitsReceiver' | 'issueWebhook' | 'issueWebhookSecret'>
}

/** @throws {OperatorError} if the key of bundle links cannot be read, or is not that of the other servers. */
export async function prepareApi(parts: Parts, background: Background): Promise<PreparedApi> {
  const { config, dataFolder } = parts
  const documentTexts = { json: readAsset('generated/openapi.json'), yaml: readAsset('generated/openapi.yaml') }
  const document = JSON.parse(documentTexts.json)
  const validator = await openValidator(document, config)
  const extensionTexts = { json: readAsset('generated/extensions/openapi.json') }
  const extensionsDocument = JSON.parse(extensionTexts.json)
  const extensionsValidator = await openValidator(extensionsDocument, { ...config, routes: extensions.routes })
  const visits = background.add(
    startVisitorCounting(config.database === undefined ? { dataFolder } : { database: config.database }),
  )
  const secrets = openSecretBox(dataFolder, config.webhookKeyFile)
  const linkKeys = await openServersLinkKeys(parts)
  return {
    documentTexts,
    extensionTexts,
    document,
    validator,
    extensionsValidator,
    linkKeys,
    visits,
    signBundle: createBundleSigner(parts.store.sites, secrets),
    comparison: background.add(openComparison(parts)),
    previews: background.add(openPreviews(parts, linkKeys)),
    extensions: {
      visitsReceiver: background.add(startReceiving(parts)),
      issueWebhook: given => issueWebhook(given, { secrets, allowed: config.webhookAllowPrivate }),
      issueWebhookSecret: id => issueSecret(id, secrets),
    },
  }
}

/** Compares the texts of bundles, for the dashboard and for the exports of this process. */
export function openComparison({ bundles, dataFolder }: Parts): BundleComparison {
  return createComparison(bundles, join(dataFolder, 'work'), Date.now)
}

function openPreviews({ bundles, store, dataFolder, log }: Parts, linkKeys: LinkKeys): BundlePreviews {
  return createBundlePreviews({
    ...{ bundles, exportJobs: store.exportJobs, workFolder: join(dataFolder, 'work'), now: Date.now },
    links: createPreviewLinks(linkKeys),
    onError: err => log.warn({ err }, 'a page of a bundle could not be shown'),
  })
}

/** Starts counting the visits that other programs send. */
function startReceiving({ config: { database, visitorKeyFile, node }, dataFolder }: Parts) {
  return startReceivingVisits({ setup: { dataFolder, database, visitorKeyFile, node } })
}

async function openServersLinkKeys({ config: { linkKeyFile }, dataFolder, store, log }: Parts): Promise<LinkKeys> {
  const warn = (err: unknown) =>
    log.warn({ err }, 'the link keys stay as they were, and this server cannot start again')
  const keys = linkKeyFile === undefined ? openLinkKeys(dataFolder) : openSharedLinkKeys(linkKeyFile, warn)
  if (store.linkKey) await agreeOnLinkKey(store.linkKey, keys)
  return keys
}

/** Tell the runners of this process that there is work. */
interface Wakes {
  wakeRunner(): void
  wakeAgents(): void
}

/** Creates the pipeline of a server that answers the API. */
export function createApi(
  parts: Parts,
  prepared: PreparedApi,
  { url, wakeRunner, wakeAgents, whyNotReady }: Wakes & { url: string } & Pick<AppOptions, 'whyNotReady'>,
): RequestListener {
  const { config, store, bundles, log } = parts
  const { vercelSecrets } = config.drains
  const deps = createDeps(parts, prepared, { wakeRunner, wakeAgents })
  const finders = createFinders(config, url)
  const app = createApp({
    deps,
    admission: { apiKeys: store.apiKeys, rateLimits: store.rateLimits, keyPrefix: config.keyPrefix, now: Date.now },
    bundles,
    organizations: store.organizations,
    signBundle: prepared.signBundle,
    validator: prepared.validator,
    extensionDeps: {
      ...parts.store,
      ...prepared.extensions,
      bundles: parts.bundles,
      agents: config.agentOffer,
      createAgentJobId: () => createId('aj'),
      wakeAgents,
      now: Date.now,
      maxVisitsBytes: config.visitsLimitBytes,
      visitBytes: createByteLimit(store.rateLimits, config.visitsHourMb, Date.now),
      viewLimit: createViewLimit(Date.now),
      streamLimit: createStreamLimit(Date.now),
      checkVercel: vercelSecrets.length === 0 ? undefined : (lines, sign) => checkSignature(lines, sign, vercelSecrets),
    },
    extensionsValidator: prepared.extensionsValidator,
    loadDocumentation: createDocumentationLoader(prepared, config.dashboard),
    documentTexts: prepared.documentTexts,
    extensionTexts: prepared.extensionTexts,
    ...finders,
    dashboard: config.dashboard ? { deps, ...finders, log } : undefined,
    drains: config.drains,
    corsOrigins: config.corsOrigins,
    bodyLimitBytes: config.bodyLimitBytes,
    slowMs: config.slowMs,
    whyNotReady,
    log,
  })
  // Nothing of the API is at the addresses of the bundles, and its headers would keep pages in the sandbox from loading their files.
  return config.dashboard
    ? (req, res) => void (prepared.previews.answer(req, res, finders.findAddress(req)) || app(req, res))
    : app
}
function createFinders(config: Config, listenUrl: string): Finders {
  const findAddress = createServerAddress({ ...config, listenUrl })
  return { findAddress, findClient: createClientFinder(config.trustedProxies) }
}

/** Builds the documentation for the first request of one of its pages. */
function createDocumentationLoader(
  { document, extensionTexts }: PreparedApi,
  hasDashboard: boolean,
): LoadDocumentation {
  const load = async () => {
    const { buildDocumentation } = await import('../docs/documentation.ts')
    const extensions = JSON.parse(extensionTexts.json)
    return buildDocumentation({ readText: readAsset, document, extensions, hasDashboard })
  }
  let loaded: ReturnType<typeof load> | undefined
  return () => {
    loaded ??= load()
    return loaded
  }
}

function createDeps(
  parts: Parts,
  { linkKeys, visits, comparison, previews, extensions }: PreparedApi,
  { wakeRunner, wakeAgents }: Wakes,
): DashboardDeps {
  const { config, dataFolder } = parts
  return {
    ...parts.store,
    keyPrefix: config.keyPrefix,
    dataFolder,
    followedLogs: config.follow.logs,
    probeSite: probeInThread,
    issueWebhook: extensions.issueWebhook,
    compareBundles: comparison.compare,
    previewPath: previews.path,
    forgetCache: domain => forgetSite(siteCachesFolder(dataFolder), domain),
    visits,
    maxQueuedExports: config.maxQueuedExports,
    bundles: parts.bundles,
    workBoard: parts.workBoard,
    bundleLinks: createBundleLinks({ keys: linkKeys, ttlSeconds: config.linkTtlSeconds }),
    presignLink:
      config.bundleLinks === 'presigned' ? createPresignLink(parts.bundles, config.linkTtlSeconds) : undefined,
    wakeRunner,
    agents: config.agentOffer,
    findAgentProblem: createAgentCheck(config),
    createAgentJobId: () => createId('aj'),
    wakeAgents,
    now: Date.now,
    createJobId: () => createId('se'),
    hashText,
  }
}
