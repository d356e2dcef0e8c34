import { type ErrorRequestHandler, type Request, type RequestHandler, type Response, Router } from 'express'
import type { Logger } from 'pino'
import { relativePath } from '../../docs/relative-path.ts'
import type { FindServerAddress } from '../../http/server-address.ts'
import type { Organization } from '../../tenancy/organization.ts'
import type { Person } from '../../tenancy/person.ts'
import { hashSecret, type Session } from '../../tenancy/sign-in.ts'
import type { DashboardDeps } from '../deps.ts'
import {
  dashboardPath,
  frameOrganizationPage,
  framePublicPage,
  maxOrganizations,
  organizationPath,
  signInPath,
} from '../frame.ts'
import { type Answer, type NoticeName, type PageDefinition, PageNotFound, type Visit } from '../page.ts'
import { pages } from '../pages/index.ts'
import { html } from '../parts/html.ts'
import { createChangeRecorder } from '../record-change.ts'
import { findStaticFile } from '../static-files.ts'
import { errorTexts, sectionPath } from '../texts/frame.ts'
import { notices } from '../texts/notices.ts'
import { signInTexts } from '../texts/sign-in.ts'
import { answerPageErrors, refuseForeignForm, refuseForm, refuseUnknownPages } from './errors.ts'
import { readForm } from './form.ts'
import { isFromOwnPage } from './same-origin.ts'
import { sendDownload, sendHtml, sendToPage } from './send-page.ts'
import { createFormToken, isFormToken, readSessionCookie, setSessionCookie } from './session-cookie.ts'
import { signInRouter } from './sign-in.ts'
import { themeRouter } from './theme.ts'

export interface DashboardOptions {
  deps: DashboardDeps
  findAddress: FindServerAddress
  /** Returns the IP address of the browser. */
  findClient(req: Request): string
  log: Logger
}

/** A browser that sent the cookie of a session. */
interface SignedIn {
  secret: string
  session: Session
  person: Person
}

/** Serves the dashboard below `dashboardPath`. A page is shown only to a signed-in person who may see its organization. */
export function dashboardRouter(options: DashboardOptions): Router {
  const { deps, findAddress, findClient, log } = options
  const router = Router({ caseSensitive: true, strict: true })
  router.use(staticFiles())
  router.use(themeRouter(options))
  router.use(signInRouter(options))
  router.get('/', (req, res) => openFirstPage(req, res, options))
  router.post('/sign-out', readForm, async (req, res) => {
    const { url } = findAddress(req)
    const signedIn = await findSignedIn(req, options)
    // Another site's form comes without the cookie, and the answer would remove it.
    if (!isFromOwnPage(req, url)) return refuseForeignForm(res)
    if (signedIn && !isOwnForm(req, res, signedIn, url)) return
    // First of all: the browser must forget the session even if the database cannot be written.
    setSessionCookie(res, url, '')
    if (signedIn) {
      const { person, session } = signedIn
      const { organizationId } = person
      const record = createChangeRecorder(deps, { person, organizationId, address: findClient(req) })
      await record({ action: 'signed-out', subject: person.id }, ({ sessions }) => sessions.end(session.id))
    }
    sendToPage(res, 'sign-in')
  })
  for (const page of pages) mountPage(router, page, options)
  router.get('/*path', correctAddress)
  router.use(refuseUnknownPages)
  router.use(frameMissingPages(options))
  router.use(answerPageErrors(log))
  return router
}

function mountPage(router: Router, page: PageDefinition, options: DashboardOptions): void {
  const { deps, findAddress } = options
  const path = `/:organizationId${page.path === '' ? '/' : page.path}`
  router.get(path, async (req, res) => {
    const visit = await openVisit(req, res)
    if (visit) await send(visit, page, req, res, await page.show(visit, deps))
  })
  for (const [name, act] of Object.entries(page.actions ?? {})) {
    router.post(`${page.path === '' ? path : `${path}/`}${name}`, readForm, async (req, res) => {
      const visit = await openVisit(req, res)
      if (visit) await send(visit, page, req, res, await act(visit, deps))
    })
  }

  /** Answers itself, and returns undefined, if the browser is not signed in or its form is not of this session. */
  async function openVisit(req: Request, res: Response): Promise<Visit | undefined> {
    const address = findAddress(req)
    const signedIn = await findSignedIn(req, options)
    if (!signedIn) {
      leadToSignIn(req, res, address.url)
      return undefined
    }
    if (req.method === 'POST' && !isOwnForm(req, res, signedIn, address.url)) return undefined
    const organization = await findOrganization(signedIn.person, String(req.params.organizationId), deps)
    if (!organization) throw new PageNotFound()
    return createVisit(req, res, { signedIn, organization }, options)
  }
}

async function createVisit(
  req: Request,
  res: Response,
  { signedIn: { person, session, secret }, organization }: { signedIn: SignedIn; organization: Organization },
  { deps, findAddress, findClient }: DashboardOptions,
): Promise<Visit> {
  const organizations = await listOrganizations(person, deps)
  return {
    person,
    session,
    organization,
    organizations,
    params: req.params as Record<string, string>,
    query: new URLSearchParams(req.url.split('?')[1]),
    form: res.locals.form ?? new URLSearchParams(),
    formToken: createFormToken(secret),
    server: findAddress(req),
    ipAddress: findClient(req),
    now: deps.now(),
    link: path => relativePath(pathOf(req), organizationPath(organization.id, path)),
    record: createChangeRecorder(deps, { person, organizationId: organization.id, address: findClient(req) }),
  }
}

async function findSignedIn(req: Request, { deps, findAddress }: DashboardOptions): Promise<SignedIn | undefined> {
  const secret = readSessionCookie(req, findAddress(req).url)
  if (secret === undefined) return undefined
  const found = await deps.sessions.find(hashSecret(secret), deps.now())
  return found && { secret, ...found }
}

/** Leads to the page to sign in. It says so if a session has ended, because what was typed is lost. */
function leadToSignIn(req: Request, res: Response, publicUrl: string): void {
  const ended = req.method === 'POST' ? 'form' : 'page'
  const query = readSessionCookie(req, publicUrl) === undefined ? '' : `?ended=${ended}`
  sendToPage(res, relativePath(pathOf(req), signInPath) + query)
}

/** Checks that a form comes from a page of this session: a page of another site can send forms, too. Refuses it otherwise. */
function isOwnForm(req: Request, res: Response, { secret }: SignedIn, publicUrl: string): boolean {
  const form: URLSearchParams = res.locals.form
  if (!isFromOwnPage(req, publicUrl)) refuseForeignForm(res)
  else if (isFormToken(secret, form.get('token') ?? '')) return true
  else refuseForm(res)
  return false
}

/** Lists the organizations to choose from: one more than are offered says that there are more. */
async function listOrganizations(person: Person, { organizations }: DashboardDeps): Promise<Organization[]> {
  if (person.organizationId === null) {
    return (await organizations.listPart({ contains: '', limit: maxOrganizations + 1, offset: 0 })).rows
  }
  const own = await organizations.find(person.organizationId)
  return own ? [own] : []
}

/** Finds an organization that the person may see. */
async function findOrganization(
  person: Person,
  id: string,
  { organizations }: DashboardDeps,
): Promise<Organization | undefined> {
  return person.organizationId === null || person.organizationId === id ? organizations.find(id) : undefined
}

/** Leads to a section of the chosen organization, or of the first one. */
async function openFirstPage(req: Request, res: Response, options: DashboardOptions): Promise<void> {
  const signedIn = await findSignedIn(req, options)
  if (!signedIn) return leadToSignIn(req, res, options.findAddress(req).url)
  const query = new URLSearchParams(req.url.split('?')[1])
  const wanted = await findOrganization(signedIn.person, query.get('organization') ?? '', options.deps)
  const chosen = wanted ?? (await listOrganizations(signedIn.person, options.deps))[0]
  const path = sectionPath(query.get('section') ?? '')
  if (chosen) return sendToPage(res, relativePath(pathOf(req), organizationPath(chosen.id, path)))
  const { noOrganization, noOrganizationHint, noOrganizationCommand } = signInTexts
  const content = html`<p>${noOrganizationHint}</p><pre><code>${noOrganizationCommand}</code></pre>`
  sendHtml(res, 200, framePublicPage(`${dashboardPath}/`, noOrganization, content))
}

/** Says in the usual frame that there is no such page: in that of the organization of its path, or of the first one. */
function frameMissingPages(options: DashboardOptions): ErrorRequestHandler {
  const { deps } = options
  return async (thrown, req, res, next) => {
    if (res.headersSent || !(thrown instanceof PageNotFound)) return next(thrown)
    const signedIn = await findSignedIn(req, options)
    if (!signedIn) return next(thrown)
    const { person } = signedIn
    const [, organizationId = ''] = pathOf(req).slice(dashboardPath.length).split('/')
    const named = await findOrganization(person, organizationId, deps)
    const organization = named ?? (await listOrganizations(person, deps))[0]
    if (!organization) return next(thrown)
    const visit = await createVisit(req, res, { signedIn, organization }, options)
    const { notFound, notFoundHint, overview } = errorTexts
    const content = html`<p>${notFoundHint}</p><p><a href="${visit.link('')}">${overview}</a></p>`
    await send(visit, { section: null }, req, res, { title: notFound, content, status: 404 })
  }
}

async function send(
  visit: Visit,
  { section }: Pick<PageDefinition, 'section'>,
  req: Request,
  res: Response,
  answer: Answer,
): Promise<void> {
  if ('download' in answer) return sendDownload(res, answer.download)
  if ('leadTo' in answer) {
    const query = answer.notice === undefined ? '' : `?done=${answer.notice}`
    return sendToPage(res, visit.link(answer.leadTo) + query)
  }
  const done = visit.query.get('done') ?? ''
  const notice = Object.hasOwn(notices, done) ? (done as NoticeName) : undefined
  const { title, content, status = 200, hasChart = false } = answer
  sendHtml(
    res,
    status,
    frameOrganizationPage(visit, {
      pagePath: pathOf(req),
      section,
      title,
      content,
      notice,
      hasChart,
      isRefused: status >= 400,
    }),
  )
}

function pathOf(req: Request): string {
  return req.originalUrl.split('?', 1)[0] ?? ''
}

/** Serves the style sheet and the scripts of the pages; everyone may read them. */
function staticFiles(): Router {
  const router = Router()
  router.get('/static/:version/:name', (req, res, next) => {
    const file = findStaticFile(req.params.version, req.params.name)
    if (!file) return next()
    res
      .set({ 'Content-Type': file.contentType, 'Cache-Control': 'public, max-age=31536000, immutable' })
      .send(file.body)
  })
  return router
}

/**
 * Redirects an address to its page: one with a missing or extra final slash, or one of a form's action, which a browser asks for when
 * somebody presses Enter in its address field.
 */
const correctAddress: RequestHandler = (req, res, next) => {
  const path = pathOf(req)
  const [, organizationId = '', ...rest] = path.slice(dashboardPath.length).split('/')
  if (!organizationId.startsWith('org_')) return next()
  if (rest.length === 0) return sendToPage(res, relativePath(path, `${path}/`))
  if (rest.length > 1 && rest.at(-1) === '') return sendToPage(res, relativePath(path, path.slice(0, -1)))
  if (!pages.some(page => Object.keys(page.actions ?? {}).some(name => isAction(page.path, name, rest)))) return next()
  const page = rest.slice(0, -1).map(part => `/${part}`)
  sendToPage(res, relativePath(path, organizationPath(organizationId, page.join(''))))
}

/** Whether the parts of a path name an action of a page. */
function isAction(pagePath: string, action: string, parts: readonly string[]): boolean {
  const wanted = [...pagePath.split('/').slice(1), action]
  return wanted.length === parts.length && wanted.every((part, at) => part.startsWith(':') || part === parts[at])
}
