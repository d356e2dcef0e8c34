import type { Express } from 'express'
import type { Logger } from 'pino'
import { dashboardPath } from './dashboard/frame.ts'
import { type DashboardOptions, dashboardRouter } from './dashboard/http/router.ts'
import { bundlesPath } from './export/jobs/bundle-link.ts'
import type { BundleStore } from './export/jobs/bundle-store.ts'
import type { SignBundle } from './export/jobs/sign-bundle.ts'
import { type AdmitDeps, createAdmission, type Finders } from './http/admit.ts'
import { bundleRouter } from './http/bundles.ts'
import { allowOrigins } from './http/cors.ts'
import { type DocumentTexts, documentRouter } from './http/document.ts'
import { answerMissingPages, type LoadDocumentation, serveDocumentation } from './http/documentation.ts'
import { answerDrainChecks, type DrainSettings } from './http/drain-checks.ts'
import { answerErrors, answerUnknownPaths } from './http/errors.ts'
import { createHeldAnswers } from './http/held-answers.ts'
import { mountBoth } from './http/mount.ts'
import { createPipeline, healthRouter } from './http/pipeline.ts'
import { extensions, served } from './http/served-routes.ts'
import { serveStart } from './http/start.ts'
import type { Validator } from './http/validator.ts'
import type { Client } from './operations/client.ts'
import type { Deps } from './operations/deps.ts'
import type { ExtensionDeps } from './operations/extensions/deps.ts'
import { extensionHandlers } from './operations/extensions/index.ts'
import { etags, handlers } from './operations/index.ts'
import type { Organizations } from './tenancy/organization.ts'

export interface AppOptions extends Finders {
  deps: Deps
  extensionDeps: ExtensionDeps
  extensionsValidator: Validator
  admission: AdmitDeps
  bundles: BundleStore
  organizations: Pick<Organizations, 'find'>
  signBundle: SignBundle
  validator: Validator
  loadDocumentation: LoadDocumentation
  documentTexts: DocumentTexts
  extensionTexts: DocumentTexts
  /** The services that send log lines. */
  drains: DrainSettings
  /** Origins whose scripts may call the API; empty = none. */
  corsOrigins: readonly string[]
  /** Undefined = no dashboard. */
  dashboard: DashboardOptions | undefined
  bodyLimitBytes: number
  /** Returns the reason why requests cannot be served; undefined = they can. */
  whyNotReady(): Promise<string | undefined>
  log: Logger
  /** From which duration on the line of a request is a warning; null = never. */
  slowMs: number | null
}

/** Creates the HTTP pipeline; a request goes through it from top to bottom. */
export function createApp(options: AppOptions): Express {
  const { deps, admission, bundles, validator, loadDocumentation, dashboard, findAddress, bodyLimitBytes, log } =
    options
  const app = createPipeline(log, options.slowMs)
  if (options.corsOrigins.length > 0) app.use(allowOrigins(options.corsOrigins))

  // Before the other routes, because each handler above slows down every API request.
  if (options.drains.vercelVerify !== undefined || options.drains.fastlyServices.length > 0) {
    app.use(answerDrainChecks(options.drains))
  }
  const admitted = { admission: createAdmission(admission, options), bodyLimitBytes }
  mountBoth(
    app,
    { ...admitted, hold: createHeldAnswers<Client>(), handlers, etags, deps, validator },
    {
      ...admitted,
      table: extensions,
      all: served,
      handlers: extensionHandlers,
      etags: {},
      deps: options.extensionDeps,
      validator: options.extensionsValidator,
    },
  )

  // Express would answer OPTIONS itself, with a text.
  app.options(/.*/, answerUnknownPaths)
  app.use(healthRouter(options.whyNotReady))
  app.get('/', serveStart(findAddress, dashboard === undefined ? 'docs/' : 'dashboard/'))
  if (dashboard) app.use(dashboardPath, dashboardRouter(dashboard))
  app.use(documentRouter(options.documentTexts, '/', findAddress))
  app.use(documentRouter(options.extensionTexts, '/quire/v1/', findAddress))
  app.use(serveDocumentation(loadDocumentation, findAddress))
  const { bundleLinks, exportJobs, now } = deps
  const { organizations, signBundle } = options
  app.use(bundlesPath, bundleRouter({ bundleLinks, exportJobs, bundles, organizations, signBundle, now }))

  app.use(answerMissingPages(loadDocumentation))
  app.use(answerUnknownPaths)
  app.use(answerErrors(log))
  return app
}
