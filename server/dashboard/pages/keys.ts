import { writeCurlSample } from '../../docs/curl-sample.ts'
import { writePythonSample } from '../../docs/python-sample.ts'
import type { SampleRequest } from '../../docs/sample-request.ts'
import { writeTypeScriptSample } from '../../docs/typescript-sample.ts'
import { type ApiKey, describeKey, expiryOf, findKeyState, hashKey, issueKey } from '../../tenancy/api-key.ts'
import { deriveId } from '../../tenancy/id.ts'
import type { Project } from '../../tenancy/project.ts'
import { hasScope } from '../../tenancy/scope.ts'
import type { DashboardDeps } from '../deps.ts'
import { type Answer, type PageDefinition, PageNotFound, type Visit } from '../page.ts'
import { actionButton } from '../parts/action.ts'
import { copyButton } from '../parts/copy.ts'
import { type Fragment, html, type Markup } from '../parts/html.ts'
import { stateBadge } from '../parts/state.ts'
import { table } from '../parts/table.ts'
import { time, timeAgo } from '../parts/time.ts'
import { askForProject } from './ask-operator.ts'
import { createKeyForm, type KeyForm, readKeyForm, showKeyForm } from './key-form.ts'
import { frameLongList, readLongList } from './long-list.ts'

/** The API keys of an organization, and everything that a program needs besides: project ids and lines to try. */
export const keysPage: PageDefinition = {
  section: 'keys',
  path: '/keys',
  show: async (visit, deps) => {
    const like = await deps.apiKeys.findOwned(visit.organization.id, visit.query.get('like') ?? '')
    const form = createKeyForm(like)
    return { title: texts.title, content: await showKeys(visit, deps, form) }
  },
  actions: { generate, revoke },
}

async function generate(visit: Visit, deps: DashboardDeps): Promise<Answer> {
  const form = await readKeyForm(visit, deps)
  if (Object.keys(form.problems).length > 0) {
    return { title: texts.title, status: 400, content: await showKeys(visit, deps, form) }
  }
  const { id: organizationId } = visit.organization
  const { key, secret } = issueKey(deps.keyPrefix, {
    id: deriveId('key', JSON.stringify([organizationId, form.formId])),
    organizationId,
    name: form.name,
    scopes: form.scopes,
    projectIds: form.projectIds,
    allowedAddresses: form.allowedAddresses,
    createdAt: visit.now,
    expiresAt: expiryOf(visit.now, form.expiry === '' ? 'never' : Number(form.expiry)),
  })
  const isNew = await visit.record({ action: 'key.created', ...describeKey(key) }, function* ({ apiKeys }) {
    if (yield* apiKeys.findOwned(organizationId, key.id)) return false
    yield* apiKeys.insert(key, hashKey(secret))
    return true
  })
  if (!isNew) return { leadTo: '/keys', notice: 'key-form-used' }
  return { title: texts.title, content: await showNewKey(visit, deps, key, secret) }
}

async function revoke(visit: Visit, deps: DashboardDeps): Promise<Answer> {
  const key = await deps.apiKeys.findOwned(visit.organization.id, visit.form.get('id') ?? '')
  if (!key) throw new PageNotFound()
  await visit.record({ action: 'key.revoked', ...describeKey(key) }, ({ apiKeys }) => apiKeys.revoke(key.id, visit.now))
  return { leadTo: '/keys', notice: 'key-revoked' }
}

async function showKeys(visit: Visit, deps: DashboardDeps, form: KeyForm): Promise<Markup> {
  const { id } = visit.organization
  const keys = await readLongList(visit, 'keys', part => deps.apiKeys.listPart(id, part))
  return html`<p>${texts.intro}</p>
<h2>${texts.listTitle}</h2>
${frameLongList(visit, keys, { path: '/keys', caption: texts.listTitle, label: texts.find, table: keyTable(visit, keys.rows, deps.keyPrefix) })}
<h2 id="generate">${texts.generateTitle}</h2>
${showKeyForm(visit, form)}
${await aboutOrganization(visit, deps)}`
}

/** The one page that shows a new key. The browser may not store it, and a reload asks before it sends the form again. */
async function showNewKey(visit: Visit, deps: DashboardDeps, key: ApiKey, secret: string): Promise<Markup> {
  const file = `data:text/plain;charset=utf-8,${encodeURIComponent(`QUIRE_API_KEY=${secret}\n`)}`
  return html`<div class="notice" role="status">
<h2>${texts.newKey(key.name)}</h2>
<p><strong>${texts.shownOnce}</strong></p>
<p class="secret"><code id="new-key">${secret}</code> ${copyButton(secret, { label: texts.copy, name: texts.copyNamed(texts.newKey(key.name)) })}</p>
<p>${texts.newKeyFacts(scopesOf(key))} ${key.expiresAt === null ? texts.newKeyStays : html`${texts.newKeyExpires} ${time(key.expiresAt)}.`}</p>
<p><a class="button" download="quire.env" href="${file}">${texts.download}</a>
<a class="button main" href="${visit.link('/keys')}">${texts.done}</a></p>
</div>
${await aboutOrganization(visit, deps, hasScope(key, 'read') ? secret : undefined)}`
}

function keyTable(visit: Visit, keys: readonly ApiKey[], prefix: string): Markup {
  const { columns } = texts
  return table(keys, {
    caption: texts.listTitle,
    empty: texts.empty,
    columns: [
      { heading: columns.name, show: key => key.name },
      { heading: columns.key, show: key => html`<code>${prefix}...${key.last4}</code>` },
      { heading: columns.scopes, isText: true, show: scopesOf },
      { heading: columns.created, show: key => timeAgo(key.createdAt, visit.now) },
      {
        heading: columns.lastUsed,
        show: key => (key.lastUsedAt === null ? texts.never : timeAgo(key.lastUsedAt, visit.now)),
      },
      {
        heading: columns.expires,
        show: ({ expiresAt }) => (expiresAt === null ? texts.unlimited : time(expiresAt)),
      },
      { heading: columns.status, show: key => stateOf(key, visit.now) },
      { heading: '', show: key => keyButton(visit, key) },
    ],
  })
}

/** What a key may do, for which projects, and from which addresses. */
function scopesOf({ scopes, projectIds, allowedAddresses }: ApiKey): string {
  const names = scopes.map(scope => texts.scopes[scope]).join(', ')
  const projects = projectIds.length === 0 ? '' : texts.ofProjects(projectIds)
  return names + projects + (allowedAddresses.length === 0 ? '' : texts.fromAddresses(allowedAddresses))
}

function stateOf(key: ApiKey, now: number): Markup {
  const state = findKeyState(key, now)
  return stateBadge(state, texts.states[state])
}

/** A revoked key cannot come back, so its row offers a new key of the same name, scopes and bounds. */
function keyButton(visit: Visit, { id, name, revokedAt }: ApiKey): Markup {
  if (revokedAt !== null) return html`<a href="${visit.link('/keys')}?like=${id}#generate">${texts.replace}</a>`
  return actionButton(visit, '/keys/revoke', {
    label: texts.revoke,
    name: texts.revokeNamed(name),
    confirm: texts.confirmRevoke(name),
    kind: 'danger',
    fields: { id },
  })
}

/** Project ids, lines to try, and the plan. The lines have the new key on the page that shows it anyway. */
async function aboutOrganization(visit: Visit, { projects }: DashboardDeps, secret?: string): Promise<Markup> {
  const { id: organizationId } = visit.organization
  const own = await readLongList(visit, 'projects', part => projects.listPart(organizationId, part))
  const isWhole = own.contains === '' && own.offset === 0
  const all = isWhole ? own : await projects.listPart(organizationId, { contains: '', limit: 1, offset: 0 })
  const [first] = all.rows
  const isMember = visit.person.organizationId !== null
  const ids = projectIds(own.rows, isMember ? askForProject(visit) : texts.noProject)
  return html`<h2 id="projects">${texts.projectsTitle}</h2>
${frameLongList(visit, own, { path: '/keys', caption: texts.projectsTitle, label: texts.findProject, table: ids })}
<h2 id="try">${texts.tryTitle}</h2>
${first ? trySamples(visit.server.url, first.id, secret) : html`<p>${isMember ? texts.noProjectForMember : texts.noProject}</p>`}
<h2>${texts.planTitle}</h2>
<p>${texts.plans[visit.organization.plan]}</p>`
}

function projectIds(projects: readonly Project[], empty: Fragment): Markup {
  const { name, id } = texts.projectColumns
  return table(projects, {
    caption: texts.projectsTitle,
    empty,
    columns: [
      { heading: name, show: project => project.name },
      {
        heading: id,
        show: project =>
          html`<code>${project.id}</code> ${copyButton(project.id, { label: texts.copy, name: texts.copyNamed(`the id of ${project.name}`) })}`,
      },
    ],
  })
}

/**
 * Lines that count the visitors of a project, in three languages. They read the key from $QUIRE_API_KEY.
 *
 * @param secret a new key, which the lines for the shell set; undefined = a placeholder
 */
function trySamples(baseUrl: string, projectId: string, secret?: string): Markup {
  const request: SampleRequest = {
    operationId: 'getUniqueVisitors',
    method: 'GET',
    baseUrl,
    path: `/v1/analytics/${projectId}/visitors?limit=5`,
    parameters: { path: { projectId }, query: { limit: 5 }, header: {} },
    body: undefined,
    successStatus: 200,
  }
  const samples = [
    ['curl', `export QUIRE_API_KEY=${secret ?? 'KEY'}\n${writeCurlSample(request)}`],
    ['TypeScript', writeTypeScriptSample(request)],
    ['Python', writePythonSample(request)],
  ] as const
  return html`<p>${texts.tryHint} ${secret === undefined ? texts.tryYourKey : texts.tryNewKey}</p>
${samples.map(
  ([language, text], at) => html`<details class="sample"${at === 0 && html` open`}><summary>${language}</summary>
${copyButton(text, { label: texts.copy, name: texts.copyNamed(`the lines for ${language}`) })}
<pre tabindex="0"><code>${text}</code></pre></details>`,
)}`
}

const texts = {
  title: 'API keys',
  intro:
    'A key lets a program use the API for this organization. Keep keys secret, and never commit them to a repository. Only a key with the scope "count" may be in a web page.',
  listTitle: 'Keys',
  find: 'Name or last characters',
  empty: 'There are no keys yet. Generate the first one below.',
  columns: {
    name: 'Name',
    key: 'Key',
    scopes: 'Scopes',
    created: 'Created',
    lastUsed: 'Last used',
    expires: 'Expires',
    status: 'Status',
  },
  never: 'never',
  unlimited: 'no expiry',
  scopes: { read: 'read', write: 'write', ingest: 'ingest', count: 'count' },
  ofProjects: (ids: readonly string[]) => `, of ${ids.join(', ')}`,
  fromAddresses: (ranges: readonly string[]) => `, from ${ranges.join(', ')}`,
  states: { active: 'active', expired: 'expired', revoked: 'revoked' },
  revoke: 'Revoke',
  revokeNamed: (name: string) => `Revoke the key ${name}`,
  confirmRevoke: (name: string) =>
    `Revoke the key "${name}"? Programs that use it are refused from the next request on. This cannot be undone, but you can generate a new key.`,
  replace: 'Generate a similar key',
  generateTitle: 'Generate a key',
  shownOnce: 'Copy the key now. It is shown only this once.',
  newKey: (name: string) => `The key ${name}`,
  newKeyFacts: (scopes: string) => `Scopes: ${scopes}.`,
  newKeyExpires: 'It expires on',
  newKeyStays: 'It never expires.',
  copy: 'Copy',
  copyNamed: (what: string) => `Copy ${what}`,
  download: 'Download as .env',
  done: 'I have kept the key',
  tryTitle: 'Try it',
  tryHint:
    'These commands count the unique visitors of the first project. They read the key from the environment variable QUIRE_API_KEY.',
  tryYourKey: 'Replace KEY with a key that has the scope read.',
  tryNewKey: 'The commands for curl set it to the new key, so they work as they are.',
  noProject: 'Create a project first. Then this page shows commands to paste.',
  noProjectForMember: 'When there is a project, this page shows commands to paste.',
  projectsTitle: 'Project ids',
  findProject: 'Name or id of a project',
  projectColumns: { name: 'Project', id: 'Id' },
  planTitle: 'Plan',
  plans: { enterprise: 'enterprise: static export is included', standard: 'standard: without static export' },
}
