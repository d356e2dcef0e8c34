import { createWebhook } from '../../operations/extensions/createWebhook.ts'
import { describeWebhook } from '../../operations/extensions/webhook-body.ts'
import type { Site } from '../../tenancy/site.ts'
import type { Webhook } from '../../webhooks/webhook.ts'
import { toClient } from '../client.ts'
import type { DashboardDeps } from '../deps.ts'
import { type Answer, PageNotFound, type Visit } from '../page.ts'
import { actionButton, tokenField } from '../parts/action.ts'
import { copyButton } from '../parts/copy.ts'
import { checkFields, textField } from '../parts/field.ts'
import { html, type Markup } from '../parts/html.ts'
import { stateBadge } from '../parts/state.ts'
import { table } from '../parts/table.ts'
import { sitePath } from '../paths.ts'
import { webhookTexts as texts } from '../texts/sites.ts'
import type { SiteForm } from './site-forms.ts'

const events = ['export.completed', 'export.failed'] as const

/** Lists the webhooks of the organization that get events of exports. */
export async function listExportWebhooks(
  { organization }: Visit,
  { webhooks }: Pick<DashboardDeps, 'webhooks'>,
): Promise<Webhook[]> {
  const all = await webhooks.list(organization.id)
  return all.filter(webhook => events.some(event => webhook.events.includes(event)))
}

/** Creates a webhook as the API does. Returns the form again if a field is wrong. */
export async function addWebhook(visit: Visit, deps: DashboardDeps, site: Site): Promise<Answer | SiteForm> {
  const values = Object.fromEntries(visit.form)
  const chosen = events.filter(event => visit.form.has(event))
  if (chosen.length === 0) return { values, problems: { events: texts.eventsMissing } }
  const url = (values.url ?? '').trim()
  // Also when the form is sent twice: a second webhook would deliver each event twice.
  if ((await listExportWebhooks(visit, deps)).some(webhook => webhook.url === url))
    return { values, problems: { url: texts.urlTaken } }
  const body = { url, events: chosen }
  const input = { params: {}, query: {}, headers: {}, mediaType: 'application/json' as const, body }
  const answer = await createWebhook(input, deps, toClient(visit))
  if (answer.status === 201 && 'body' in answer) {
    return { title: site.domain, content: showSecret(visit, site, answer.body) }
  }
  const error = 'body' in answer ? answer.body.error : ''
  return { values, problems: { url: error.replace(/^url\b/, texts.url) } }
}

async function findWebhook({ organization, form }: Visit, { webhooks }: DashboardDeps): Promise<Webhook> {
  const webhook = await webhooks.findOwned(organization.id, form.get('id') ?? '')
  if (!webhook) throw new PageNotFound()
  return webhook
}

export async function deleteWebhook(visit: Visit, deps: DashboardDeps, { domain }: Site): Promise<Answer> {
  const webhook = await findWebhook(visit, deps)
  const event = { action: 'webhook.deleted', ...describeWebhook(webhook) } as const
  await visit.record(event, ({ webhooks }) => webhooks.delete(webhook.id))
  return { leadTo: sitePath(domain), notice: 'webhook-deleted' }
}

/** Enables a webhook that was disabled because its receiver answered 410. */
export async function enableWebhook(visit: Visit, deps: DashboardDeps, { domain }: Site): Promise<Answer> {
  const webhook = await findWebhook(visit, deps)
  const event = { action: 'webhook.changed', ...describeWebhook(webhook, 'enabled') } as const
  await visit.record(event, ({ webhooks }) => webhooks.enable(webhook.id))
  return { leadTo: sitePath(domain), notice: 'webhook-enabled' }
}

export function showWebhooks(
  visit: Visit,
  { domain }: Site,
  webhooks: readonly Webhook[],
  { values, problems = {} }: SiteForm,
): Markup {
  const isTyped = values?.url !== undefined
  const box = (event: (typeof events)[number]) => ({
    label: texts.events[event],
    checked: !isTyped || values[event] !== undefined,
  })
  return html`<h2 id="webhooks">${texts.title}</h2>
<p class="quiet">${texts.intro}</p>
${webhookTable(visit, domain, webhooks)}
<form method="post" action="${visit.link(`${sitePath(domain)}/add-webhook`)}" class="card">
${tokenField(visit)}
${textField({ label: texts.url, name: 'url', type: 'url', value: values?.url ?? '', hint: texts.urlHint, problem: problems.url, required: true, maxLength: 2000 })}
${checkFields({ legend: texts.eventsTitle, boxes: { 'export.completed': box('export.completed'), 'export.failed': box('export.failed') }, problem: problems.events })}
<p><button class="main">${texts.add}</button></p>
</form>`
}

function webhookTable(visit: Visit, domain: string, webhooks: readonly Webhook[]): Markup {
  const { columns } = texts
  const button = (id: string, action: string, options: Parameters<typeof actionButton>[2]) =>
    actionButton(visit, `${sitePath(domain)}/${action}`, { ...options, fields: { id } })
  return table(webhooks, {
    caption: texts.title,
    empty: texts.empty,
    columns: [
      { heading: columns.url, isText: true, show: ({ url }) => url },
      { heading: columns.events, isText: true, show: webhook => webhook.events.join(', ') },
      {
        heading: columns.state,
        show: ({ disabledAt }) =>
          disabledAt === null ? stateBadge('good', texts.enabled) : stateBadge('bad', texts.disabled),
      },
      {
        heading: '',
        show: ({ id, url, disabledAt }) => html`${
          disabledAt !== null && button(id, 'enable-webhook', { label: texts.enable, name: texts.enableNamed(url) })
        }
${button(id, 'delete-webhook', { label: texts.delete, name: texts.deleteNamed(url), confirm: texts.confirmDelete(url), kind: 'danger' })}`,
      },
    ],
  })
}

/** The one page that shows the secret. The browser may not store it, and a reload asks before it sends the form again. */
function showSecret(visit: Visit, { domain }: Site, { url, secret }: { url: string; secret: string }): Markup {
  return html`<div class="notice" role="status">
<h2>${texts.secretTitle(new URL(url).host)}</h2>
<p><strong>${texts.secretOnce}</strong></p>
<p class="secret"><code id="new-secret">${secret}</code> ${copyButton(secret, { label: texts.copy, name: texts.copySecret })}</p>
<p><a class="button main" href="${visit.link(sitePath(domain))}">${texts.done}</a></p>
</div>`
}
