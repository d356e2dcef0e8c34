import { type PageDefinition, PageNotFound } from '../page.ts'
import { html } from '../parts/html.ts'
import { table } from '../parts/table.ts'
import { timeAgo } from '../parts/time.ts'
import { sectionPath } from '../texts/frame.ts'
import { frameLongList, readLongList } from './long-list.ts'
import { linkToOrganization } from './organization-link.ts'

/** All organizations, for operators. Each leads to its page of the section from which the reader comes. */
export const organizationsPage: PageDefinition = {
  section: null,
  path: '/organizations',
  show: async (visit, { organizations }) => {
    if (visit.person.organizationId !== null) throw new PageNotFound()
    const list = await readLongList(visit, 'organizations', part => organizations.listPart(part))
    const path = sectionPath(visit.query.get('section') ?? '')
    const { columns } = texts
    const rows = table(list.rows, {
      caption: texts.title,
      empty: '',
      columns: [
        {
          heading: columns.name,
          show: ({ id, name }) => html`<a href="${linkToOrganization(visit, id, path)}">${name}</a>`,
        },
        { heading: columns.id, show: ({ id }) => html`<code>${id}</code>` },
        { heading: columns.plan, show: ({ plan }) => plan },
        { heading: columns.created, show: ({ createdAt }) => timeAgo(createdAt, visit.now) },
      ],
    })
    const options = { path: '/organizations', caption: texts.title, label: texts.find, table: rows }
    return { title: texts.title, content: html`<p>${texts.intro}</p>${frameLongList(visit, list, options)}` }
  },
}

/** Texts of the page on which operators choose an organization. */
const texts = {
  title: 'Organizations',
  intro: 'Choose an organization. Its page of the same section opens.',
  find: 'Name or id of an organization',
  columns: { name: 'Organization', id: 'Id', plan: 'Plan', created: 'Created' },
}
