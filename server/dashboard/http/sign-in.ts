import { Router } from 'express'
import { relativePath } from '../../docs/relative-path.ts'
import type { FindServerAddress } from '../../http/server-address.ts'
import { createId } from '../../tenancy/id.ts'
import { describePerson, type Person } from '../../tenancy/person.ts'
import { createSecret, hashSecret, sessionMs } from '../../tenancy/sign-in.ts'
import type { DashboardDeps } from '../deps.ts'
import { dashboardPath, framePublicPage, signInPath } from '../frame.ts'
import { html } from '../parts/html.ts'
import { signInTexts as texts } from '../texts/sign-in.ts'
import { refuseForeignForm } from './errors.ts'
import { readForm } from './form.ts'
import { isFromOwnPage } from './same-origin.ts'
import { sendHtml, sendToPage } from './send-page.ts'
import { readSessionCookie, setSessionCookie } from './session-cookie.ts'

/** How often a refused link is written to the audit log at most; anyone can send wrong links. */
const refusalEveryMs = 60_000

interface SignInOptions {
  deps: Pick<DashboardDeps, 'signInLinks' | 'sessions' | 'organizations' | 'auditLog' | 'atomically' | 'now'>
  findAddress: FindServerAddress
  findClient(req: Parameters<FindServerAddress>[0]): string
}

/**
 * Signs people in by a link. Opening the link only shows a button, because mail programs and chats open links, too. The button uses
 * the link up and starts a session with a secret that is new, whatever the browser sent before.
 */
export function signInRouter({ deps, findAddress, findClient }: SignInOptions): Router {
  const { signInLinks, auditLog, now } = deps
  let refusalLoggedAt = Number.NEGATIVE_INFINITY
  const router = Router()

  router.get('/sign-in', async (req, res) => {
    const query = new URLSearchParams(req.url.split('?')[1])
    const token = query.get('token')
    if (token === null) {
      const content = html`${explainEnd(query.get('ended'))}${explainLinks()}`
      return sendHtml(res, 200, framePublicPage(signInPath, texts.title, content))
    }
    const person = await signInLinks.find(hashSecret(token), now())
    if (!person) return sendHtml(res, 403, framePublicPage(signInPath, texts.title, refuse()))
    const organization = person.organizationId && (await deps.organizations.find(person.organizationId))
    sendHtml(
      res,
      200,
      framePublicPage(signInPath, texts.title, confirm(person, organization ? organization.name : null, token)),
    )
  })

  router.post('/sign-in', readForm, async (req, res) => {
    const { url } = findAddress(req)
    const form: URLSearchParams = res.locals.form
    const time = now()
    const tokenSha256 = hashSecret(form.get('token') ?? '')
    if (!isFromOwnPage(req, url)) return refuseForeignForm(res)
    const address = findClient(req)
    const secret = await startSession(deps, tokenSha256, { at: time, address, before: readSessionCookie(req, url) })
    if (secret === undefined) {
      await noteRefusal(time, address)
      return sendHtml(res, 403, framePublicPage(signInPath, texts.title, refuse()))
    }
    setSessionCookie(res, url, secret, sessionMs)
    sendToPage(res, relativePath(signInPath, `${dashboardPath}/`))
  })

  return router

  async function noteRefusal(at: number, address: string): Promise<void> {
    if (at - refusalLoggedAt < refusalEveryMs) return
    refusalLoggedAt = at
    await auditLog.append({
      at,
      organizationId: null,
      action: 'sign-in.refused',
      subject: '-',
      detail: null,
      actor: '-',
      address,
    })
  }
}

/**
 * Uses up a link, starts the session of its person and appends the audit event, in one transaction. A session that the browser had
 * before ends. Returns the secret of the session; undefined if the link does not work.
 */
async function startSession(
  { sessions, atomically }: SignInOptions['deps'],
  tokenSha256: Buffer,
  { at, address, before }: { at: number; address: string; before: string | undefined },
): Promise<string | undefined> {
  const old = before === undefined ? undefined : await sessions.find(hashSecret(before), at)
  const secret = createSecret()
  const times = { createdAt: at, lastSeenAt: at, expiresAt: at + sessionMs }
  return atomically(function* ({ signInLinks, sessions, auditLog }) {
    const person = yield* signInLinks.take(tokenSha256, at)
    if (!person) return undefined
    if (old) yield* sessions.end(old.session.id)
    yield* sessions.insert({ id: createId('ses'), personId: person.id, ...times, address }, hashSecret(secret))
    yield* auditLog.append({
      at,
      organizationId: person.organizationId,
      action: 'signed-in',
      subject: person.id,
      detail: null,
      actor: describePerson(person),
      address,
    })
    return secret
  })
}

/** Says that a session has ended; `ended` is what the router put into the address. */
function explainEnd(ended: string | null) {
  if (ended === null) return undefined
  return html`<p class="problem" role="alert">${texts.ended}${ended === 'form' && ` ${texts.endedForm}`}</p>`
}

function explainLinks() {
  return html`<p>${texts.hint}</p>
<pre><code>${texts.command}</code></pre>
<p>${texts.memberHint}</p>
<p><a href="${relativePath(signInPath, '/docs/')}">${texts.documentation}</a></p>`
}

function refuse() {
  return html`<p class="problem" role="alert">${texts.refused}</p>
${explainLinks()}`
}

function confirm(person: Person, organization: string | null, token: string) {
  return html`<p>${texts.confirm(person.name, organization)}</p>
<form method="post" action="${relativePath(signInPath, signInPath)}">
<input type="hidden" name="token" value="${token}">
<p><button class="main" autofocus>${texts.button}</button></p>
</form>
<p class="quiet">${texts.confirmHint}</p>`
}
