import { randomUUID } from 'node:crypto'
import { parseAddressRange } from '../../base/address-range.ts'
import { OperatorError } from '../../base/operator-error.ts'
import { type ApiKey, defaultKeyDays, type KeyBounds, type Scope } from '../../tenancy/api-key.ts'
import { readName } from '../../tenancy/name.ts'
import { areNarrow, areScopes } from '../../tenancy/scope.ts'
import type { DashboardDeps } from '../deps.ts'
import type { Visit } from '../page.ts'
import { tokenField } from '../parts/action.ts'
import { checkFields, linesField, readLines, selectField, textField } from '../parts/field.ts'
import { html, type Markup } from '../parts/html.ts'

/** What a person wrote into the form for a new key, and what is wrong with it. */
export interface KeyForm extends KeyBounds {
  name: string
  scopes: Scope[]
  /** Days; empty = never. */
  expiry: string
  /** Makes a form generate one key, however often it is sent. */
  formId: string
  problems: { name?: string; scopes?: string; projects?: string; addresses?: string; expiry?: string }
}

/** The form for a key with the name, scopes and bounds of another, or for one that may only read: every other scope is a choice. */
export function createKeyForm(like: ApiKey | undefined): KeyForm {
  return {
    name: like?.name ?? '',
    scopes: like?.scopes ?? ['read'],
    projectIds: like?.projectIds ?? [],
    allowedAddresses: like?.allowedAddresses ?? [],
    expiry: String(defaultKeyDays),
    formId: randomUUID(),
    problems: {},
  }
}

/** Reads the form that was sent. */
export async function readKeyForm(
  { form, organization }: Visit,
  { projects }: Pick<DashboardDeps, 'projects'>,
): Promise<KeyForm> {
  const read: KeyForm = {
    name: form.get('name') ?? '',
    scopes: (['read', 'write', 'ingest', 'count'] as const).filter(scope => form.has(scope)),
    projectIds: [...new Set(readLines(form.get('projects')))],
    allowedAddresses: [...new Set(readLines(form.get('addresses')))],
    expiry: form.get('expiry') ?? '',
    formId: form.get('form') || randomUUID(),
    problems: {},
  }
  const { problems, scopes, projectIds, allowedAddresses } = read
  try {
    read.name = readName(read.name)
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error
    problems.name = error.message
  }
  if (scopes.length === 0) problems.scopes = texts.scopesMissing
  else if (!areScopes(scopes)) problems.scopes = texts.narrowAlone
  const findProject = (id: string) => projects.findOwned(organization.id, id)
  const badRange = allowedAddresses.find(range => !parseAddressRange(range))
  if (projectIds.length > maxLines) problems.projects = texts.tooManyLines
  else if (projectIds.length > 0 && !areNarrow(scopes)) problems.projects = texts.projectsOfOtherScopes
  else {
    const found = await Promise.all(projectIds.map(findProject))
    const unknown = projectIds.find((_, at) => !found[at])
    if (unknown !== undefined) problems.projects = texts.projectUnknown(unknown)
  }
  if (allowedAddresses.length > maxLines) problems.addresses = texts.tooManyLines
  else if (badRange !== undefined) problems.addresses = texts.rangeInvalid(badRange)
  if (!Object.hasOwn(texts.expiries, read.expiry)) problems.expiry = texts.expiryInvalid
  return read
}

/** Shows the form. What most people leave as it is can be unfolded. */
export function showKeyForm(visit: Visit, form: KeyForm): Markup {
  const { name, scopes, projectIds, allowedAddresses, expiry, formId, problems } = form
  const box = (scope: Scope) => ({ label: texts.scopeLabels[scope], checked: scopes.includes(scope) })
  const choices = (['30', '90', '365', ''] as const).map(days => [days, texts.expiries[days]] as const)
  const hasBounds = [projectIds, allowedAddresses].some(({ length }) => length > 0)
  const isUnfolded = hasBounds || problems.projects !== undefined || problems.addresses !== undefined
  return html`<form method="post" action="${visit.link('/keys/generate')}" class="card">
${tokenField(visit)}<input type="hidden" name="form" value="${formId}">
${textField({ label: texts.name, name: 'name', value: name, hint: texts.nameHint, problem: problems.name, required: true, maxLength: 100 })}
${checkFields({ legend: texts.scopes, boxes: { read: box('read'), write: box('write'), ingest: box('ingest'), count: box('count') }, problem: problems.scopes })}
${selectField({ label: texts.expiry, name: 'expiry', value: expiry, choices, problem: problems.expiry })}
<details${isUnfolded && html` open`}><summary>${texts.bounds}</summary>
${linesField({ label: texts.addresses, name: 'addresses', value: allowedAddresses.join('\n'), hint: texts.addressesHint, problem: problems.addresses })}
${linesField({ label: texts.projects, name: 'projects', value: projectIds.join('\n'), hint: texts.projectsHint, problem: problems.projects })}
</details>
<p><button class="main">${texts.generate}</button></p>
</form>`
}

const maxLines = 100

const texts = {
  generate: 'Generate the key',
  name: 'Name',
  nameHint: 'What uses the key, such as "ci" or "website". 100 characters at most.',
  scopes: 'Scopes',
  scopeLabels: {
    read: 'read: agent jobs, visitors and exports',
    write: 'write: start exports and agent jobs, make links to bundles; includes read',
    ingest: 'ingest: only send visits and report agent jobs, for CI and CDNs',
    count: 'count: only tell which pages readers open, by a script in the pages of a site; everybody can read this key',
  },
  scopesMissing: 'Choose at least one: read, write, ingest or count.',
  narrowAlone: 'A key with "ingest" or "count" can have no other scope. Untick the others, or generate two keys.',
  expiry: 'Expires',
  expiries: { '30': 'in 30 days', '90': 'in 90 days', '365': 'in a year', '': 'never' },
  expiryInvalid: 'Choose when the key expires from the list.',
  bounds: 'Limit where it works',
  addresses: 'Addresses it may be used from',
  addressesHint:
    'Write one address or CIDR range on each line, such as 203.0.113.7 or 2001:db8::/32. Leave it empty to allow all addresses.',
  rangeInvalid: (range: string) =>
    `${range} is not an address or a CIDR range. Write one such as 203.0.113.7, 203.0.113.0/24 or 2001:db8::/32.`,
  projects: 'Projects',
  projectsHint:
    'Only for "ingest" and "count". Write one project id on each line, from the list below. Leave it empty for all projects.',
  projectsOfOtherScopes:
    'Only a key with "ingest" or "count" can be limited to projects. Choose one of them, or remove the ids.',
  projectUnknown: (id: string) => `This organization has no project ${id}. Copy the ids from the list below.`,
  tooManyLines: `These are more than ${maxLines} lines. Generate several keys, or use larger ranges.`,
}
