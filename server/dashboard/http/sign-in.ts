import { Router } from 'express'
import { escapeControls } from '../../base/escape-controls.ts'
import { relativePath } from '../../docs/relative-path.ts'
import type { FindServerAddress } from '../../http/server-address.ts'
import { createId } from '../../tenancy/id.ts'
import type { Person } from '../../tenancy/person.ts'
import { createSecret, hashSecret, sessionMs } from '../../tenancy/sign-in.ts'
import type { DashboardDeps } from '../deps.ts'
import { dashboardPath, framePublicPage } from '../frame.ts'
import { html } from '../parts/html.ts'
import { signInTexts as texts } from '../texts/sign-in.ts'
import { readForm } from './form.ts'
import { isFromOwnPage } from './same-origin.ts'
import { sendHtml, sendToPage } from './send-page.ts'
import { readSessionCookie, setSessionCookie } from './session-cookie.ts'

const signInPath = `${dashboardPath}/sign-in`
/** How often a refused link is written to the audit log at most; anyone can send wrong links. */
const refusalEveryMs = 60_000

interface SignInOptions {
  deps: Pick<DashboardDeps, 'signInLinks' | 'sessions' | 'people' | 'organizations' | 'auditLog' | 'now'>
  findAddress: FindServerAddress
  findClient(req: Parameters<FindServerAddress>[0]): string
}

/**
 * Signs people in by a link. Opening the link only shows a button, because mail programs and chats open links, too. The button uses
 * the link up and starts a session with a secret that is new, whatever the browser sent before.
 */
export function signInRouter({ deps, findAddress, findClient }: SignInOptions): Router {
  const { signInLinks, sessions, auditLog, now } = deps
  let refusalLoggedAt = Number.NEGATIVE_INFINITY
  const router = Router()

  router.get('/sign-in', async (req, res) => {
    const token = new URLSearchParams(req.url.split('?')[1]).get('token')
    if (token === null) return sendHtml(res, 200, framePublicPage(signInPath, texts.title, explainLinks()))
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
    const address = findClient(req)
    const person = isFromOwnPage(req, url)
      ? await signInLinks.take(hashSecret(form.get('token') ?? ''), time)
      : undefined
    if (!person) {
      if (time - refusalLoggedAt >= refusalEveryMs) {
        refusalLoggedAt = time
        await auditLog.append({
          at: time,
          organizationId: null,
          action: 'sign-in.refused',
          subject: '-',
          detail: null,
          actor: '-',
          address,
        })
      }
      return sendHtml(res, 403, framePublicPage(signInPath, texts.title, refuse()))
    }
    const before = readSessionCookie(req)
    const old = before === undefined ? undefined : await sessions.find(hashSecret(before), time)
    if (old) await sessions.end(old.session.id)
    const secret = createSecret()
    const session = {
      id: createId('ses'),
      personId: person.id,
      createdAt: time,
      lastSeenAt: time,
      expiresAt: time + sessionMs,
      address,
    }
    await sessions.insert(session, hashSecret(secret))
    await auditLog.append({
      at: time,
      organizationId: person.organizationId,
      action: 'signed-in',
      subject: person.id,
      detail: null,
      actor: describePerson(person),
      address,
    })
    setSessionCookie(res, url, secret, sessionMs)
    sendToPage(res, relativePath(signInPath, `${dashboardPath}/`))
  })

  return router
}

/** Names a person in the audit log. */
export function describePerson({ name, id }: Person): string {
  return `${escapeControls(name)} (${id})`
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
