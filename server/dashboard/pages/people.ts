import { OperatorError } from '../../base/operator-error.ts'
import { createId } from '../../tenancy/id.ts'
import { readName } from '../../tenancy/name.ts'
import type { Person } from '../../tenancy/person.ts'
import { createSecret, hashSecret, type Session, signInLinkMs } from '../../tenancy/sign-in.ts'
import type { DashboardDeps } from '../deps.ts'
import { dashboardPath } from '../frame.ts'
import { type Answer, type PageDefinition, PageNotFound, type Visit } from '../page.ts'
import { actionButton, tokenField } from '../parts/action.ts'
import { copyButton } from '../parts/copy.ts'
import { textField } from '../parts/field.ts'
import { html, type Markup } from '../parts/html.ts'
import { table } from '../parts/table.ts'
import { timeAgo } from '../parts/time.ts'
import { frameLongList, readLongList } from './long-list.ts'

/** Who may sign in to an organization, and where the reader is signed in. */
export const peoplePage: PageDefinition = {
  section: 'people',
  path: '/people',
  show: async (visit, deps) => ({ title: texts.title, content: await showPeople(visit, deps, '') }),
  actions: { add, link, remove, 'sign-out-others': signOutOthers },
}

async function add(visit: Visit, deps: DashboardDeps): Promise<Answer> {
  const typed = visit.form.get('name') ?? ''
  const refuse = async (problem: string): Promise<Answer> => ({
    title: texts.title,
    status: 400,
    content: await showPeople(visit, deps, typed, problem),
  })
  let name: string
  try {
    name = readName(typed)
  } catch (error) {
    if (error instanceof OperatorError) return refuse(error.message)
    throw error
  }
  const { id: organizationId } = visit.organization
  const person = { id: createId('usr'), organizationId, name, createdAt: visit.now }
  const link = createLink(visit, person)
  const event = { subject: person.id, detail: name }
  const isNew = await visit.record(
    [
      { action: 'person.added', ...event },
      { action: 'sign-in-link.created', ...event },
    ],
    function* ({ people, signInLinks }) {
      if (yield* people.findNamed(organizationId, name)) return false
      yield* people.insert(person)
      yield* signInLinks.insert(link.stored)
      return true
    },
  )
  return isNew ? showLink(visit, person, link.url) : refuse(texts.nameTaken)
}

async function link(visit: Visit, deps: DashboardDeps): Promise<Answer> {
  const person = await findMember(visit, deps)
  const { url, stored } = createLink(visit, person)
  await visit.record({ action: 'sign-in-link.created', subject: person.id, detail: person.name }, ({ signInLinks }) =>
    signInLinks.insert(stored),
  )
  return showLink(visit, person, url)
}

async function remove(visit: Visit, deps: DashboardDeps): Promise<Answer> {
  const person = await findMember(visit, deps)
  await visit.record({ action: 'person.removed', subject: person.id, detail: person.name }, ({ people }) =>
    people.delete(person.id),
  )
  return { leadTo: '/people', notice: 'person-removed' }
}

async function signOutOthers({ person, session, now, record }: Visit): Promise<Answer> {
  await record({ action: 'signed-out', subject: person.id, detail: texts.signOutOthers }, function* ({ sessions }) {
    for (const { id } of yield* sessions.list(person.id, now)) {
      if (id !== session.id) yield* sessions.end(id)
    }
  })
  return { leadTo: '/people', notice: 'signed-out-elsewhere' }
}

/** Finds a member of the organization. Operators are changed only on the machine of the server. */
async function findMember({ organization, form }: Visit, { people }: DashboardDeps): Promise<Person> {
  const person = await people.find(form.get('id') ?? '')
  if (person?.organizationId !== organization.id) throw new PageNotFound()
  return person
}

/** Makes a sign-in link: its address, and what is stored of it. */
function createLink({ server, now }: Visit, { id }: Person) {
  const token = createSecret()
  return {
    url: `${server.url}${dashboardPath}/sign-in?token=${token}`,
    stored: { tokenSha256: hashSecret(token), personId: id, createdAt: now, expiresAt: now + signInLinkMs },
  }
}

/** Shows a sign-in link, once. */
function showLink(visit: Visit, person: Person, url: string): Answer {
  const content = html`<div class="notice" role="status">
<p><strong>${texts.linkHint}</strong></p>
<p class="secret"><code id="sign-in-link">${url}</code> ${copyButton(url, { label: texts.copy, name: texts.copyLink })}</p>
<p><a class="button main" href="${visit.link('/people')}">${texts.done}</a></p>
</div>`
  return { title: texts.linkTitle(person.name), content }
}

async function showPeople(visit: Visit, deps: DashboardDeps, typed: string, problem?: string): Promise<Markup> {
  const isOperator = visit.person.organizationId === null
  const own = await deps.sessions.list(visit.person.id, visit.now)
  return html`<p>${texts.intro}</p>
<h2>${texts.membersTitle}</h2>
${await showList(visit, deps, { name: 'members', organizationId: visit.organization.id, caption: texts.membersTitle, empty: texts.none })}
<h2>${texts.addTitle}</h2>
<form method="post" action="${visit.link('/people/add')}" class="card">
${tokenField(visit)}
${textField({ label: texts.name, name: 'name', value: typed, hint: texts.nameHint, problem, required: true, maxLength: 100 })}
<p><button class="main">${texts.add}</button></p>
</form>
${
  isOperator &&
  html`<h2>${texts.operatorsTitle}</h2><p class="quiet">${texts.operatorsHint}</p>
${await showList(visit, deps, { name: 'operators', organizationId: null, caption: texts.operatorsTitle, empty: texts.noOperators })}`
}
<h2>${texts.ownTitle}</h2>
${ownSessions(own, visit)}
${own.length > 1 && actionButton(visit, '/people/sign-out-others', { label: texts.signOutOthers })}`
}

/** Shows the members of an organization, who can be changed, or the operators. */
async function showList(
  visit: Visit,
  deps: DashboardDeps,
  options: { name: string; organizationId: string | null; caption: string; empty: string },
): Promise<Markup> {
  const { name, organizationId, caption } = options
  const people = await readLongList(visit, name, part => deps.people.listPart(organizationId, part))
  const sessions = await listSessions(people.rows, visit.now, deps)
  const table = peopleTable(visit, people.rows, sessions, { ...options, canChange: organizationId !== null })
  return frameLongList(visit, people, { path: '/people', caption, label: texts.find, table })
}

/** Counts the browsers in which each person is signed in. */
async function listSessions(
  people: readonly Person[],
  now: number,
  { sessions }: DashboardDeps,
): Promise<Map<string, number>> {
  const counts = await Promise.all(people.map(async ({ id }) => [id, (await sessions.list(id, now)).length] as const))
  return new Map(counts)
}

function peopleTable(
  visit: Visit,
  people: readonly Person[],
  sessions: ReadonlyMap<string, number>,
  { caption, empty, canChange }: { caption: string; empty: string; canChange: boolean },
): Markup {
  const { columns } = texts
  const buttons = ({
    id,
    name,
  }: Person) => html`${actionButton(visit, '/people/link', { label: texts.link, name: texts.linkNamed(name), fields: { id } })}
${actionButton(visit, '/people/remove', { label: texts.remove, name: texts.removeNamed(name), confirm: texts.confirmRemove(name), kind: 'danger', fields: { id } })}`
  return table(people, {
    caption,
    empty,
    columns: [
      {
        heading: columns.name,
        show: ({ id, name }) =>
          html`${name}${id === visit.person.id && html` <span class="quiet">(${texts.you})</span>`}`,
      },
      { heading: columns.since, show: ({ createdAt }) => timeAgo(createdAt, visit.now) },
      { heading: columns.sessions, show: ({ id }) => texts.sessions(sessions.get(id) ?? 0) },
      ...(canChange ? [{ heading: '', show: buttons }] : []),
    ],
  })
}

function ownSessions(sessions: readonly Session[], visit: Visit): Markup {
  const { ownColumns } = texts
  return table(sessions, {
    caption: texts.ownTitle,
    empty: '',
    columns: [
      {
        heading: ownColumns.began,
        show: ({ id, createdAt }) =>
          html`${timeAgo(createdAt, visit.now)}${id === visit.session.id && html` <span class="quiet">(${texts.thisOne})</span>`}`,
      },
      { heading: ownColumns.seen, show: ({ lastSeenAt }) => timeAgo(lastSeenAt, visit.now) },
      { heading: ownColumns.from, show: ({ address }) => html`<code>${address}</code>` },
    ],
  })
}

const texts = {
  title: 'People',
  intro:
    'Members of this organization sign in with a link that works once. They can do everything here, except create projects and sites, set an origin, and delete a site.',
  membersTitle: 'Members',
  find: 'Name',
  operatorsTitle: 'Operators',
  operatorsHint:
    'Operators see and change all organizations. They are added on the machine of the server: npx quire dashboard link',
  columns: { name: 'Name', since: 'Since', sessions: 'Signed in' },
  none: 'There are no members yet.',
  noOperators: 'There are no operators.',
  sessions: (count: number) => (count === 0 ? 'no' : count === 1 ? 'in one browser' : `in ${count} browsers`),
  you: 'you',
  link: 'New link',
  linkNamed: (name: string) => `New link for ${name}`,
  remove: 'Remove',
  removeNamed: (name: string) => `Remove ${name}`,
  confirmRemove: (name: string) => `Remove ${name}? They are signed out everywhere at once.`,
  addTitle: 'Add a member',
  name: 'Name',
  nameHint: 'How the audit log names the person. 100 characters at most.',
  add: 'Add, and make a sign-in link',
  nameTaken: 'There is a member with this name already. Make a new link in the list above.',
  linkTitle: (name: string) => `A sign-in link for ${name}`,
  linkHint: 'Send it over a channel that others cannot read. It works once, for 15 minutes, and is shown only now.',
  copy: 'Copy',
  copyLink: 'Copy the sign-in link',
  done: 'I have sent it',
  ownTitle: 'Your sessions',
  ownColumns: { began: 'Signed in', seen: 'Last seen', from: 'From' },
  thisOne: 'this browser',
  signOutOthers: 'Sign out everywhere else',
}
