import {
  changeCounting,
  describeCounting,
  parseNotPages,
  parseOwnAddresses,
  parsePages,
} from '../../analytics/import/counting-settings.ts'
import { formatAgents, parseAgents } from '../../analytics/import/parse-agents.ts'
import { OperatorError } from '../../base/operator-error.ts'
import { relativePath } from '../../docs/relative-path.ts'
import { aiMeanings, type CountingSettings, type Project, usualCounting } from '../../tenancy/project.ts'
import type { DashboardDeps } from '../deps.ts'
import { organizationPath } from '../frame.ts'
import { type Answer, type PageDefinition, PageNotFound, type Visit } from '../page.ts'
import { tokenField } from '../parts/action.ts'
import { linesField, readLines, selectField } from '../parts/field.ts'
import { html, type Markup } from '../parts/html.ts'
import { projectSettingsPath } from '../paths.ts'

/** How each setting is written into its field, and read from it. */
const fields = {
  ownAddresses: {
    write: ({ ownAddresses }) => ownAddresses.join('\n'),
    read: text => parseOwnAddresses(readLines(text)),
  },
  notPages: { write: ({ notPages }) => notPages.join('\n'), read: text => parseNotPages(readLines(text)) },
  pages: { write: ({ pages }) => pages.join('\n'), read: text => parsePages(readLines(text)) },
  ai: { write: ({ ai }) => ai, read: readMeaning },
  agents: {
    write: ({ agents }) => (agents.length > 0 ? formatAgents(agents) : ''),
    read: text => (text.trim() === '' ? [] : parseAgents(text)),
  },
} satisfies {
  [Name in keyof CountingSettings]: {
    write(counting: CountingSettings): string
    read(text: string): CountingSettings[Name]
  }
}

type Field = keyof typeof fields
const names = Object.keys(fields) as Field[]
type Texts = Partial<Record<Field, string>>

/** What counts in a project. Members may change it, because it changes nothing but their own counts. */
export const projectSettingsPage: PageDefinition = {
  section: 'projects',
  path: '/projects/settings/:projectId',
  async show(visit, deps) {
    const project = await findProject(visit, deps)
    const counting = project.counting ?? usualCounting
    const values = Object.fromEntries(names.map(name => [name, fields[name].write(counting)]))
    return { title: texts.title(project.name), content: showForm(visit, project, values, {}) }
  },
  actions: { save },
}

async function findProject({ organization, params }: Visit, { projects }: DashboardDeps): Promise<Project> {
  const project = await projects.findOwned(organization.id, params.projectId ?? '')
  if (!project) throw new PageNotFound()
  return project
}

function readMeaning(text: string): CountingSettings['ai'] {
  const meaning = aiMeanings.find(known => known === text)
  if (meaning) return meaning
  throw new OperatorError(texts.meaningUnknown)
}

async function save(visit: Visit, deps: DashboardDeps): Promise<Answer> {
  const project = await findProject(visit, deps)
  const values: Texts = {}
  const problems: Texts = {}
  const read = Object.fromEntries(
    names.map(name => {
      const value = visit.form.get(name) ?? ''
      values[name] = value
      try {
        return [name, fields[name].read(value)]
      } catch (error) {
        if (!(error instanceof OperatorError)) throw error
        problems[name] = error.message
        return [name, undefined]
      }
    }),
  )
  if (Object.keys(problems).length > 0) {
    const content = showForm(visit, project, values, problems)
    return { title: texts.title(project.name), status: 400, content }
  }
  const counting = changeCounting(project.counting, read as unknown as CountingSettings, deps.now())
  const event = { action: 'project.changed', subject: project.id, detail: describeCounting(counting) } as const
  await visit.record(event, ({ projects }) => projects.setCounting(project.id, counting))
  return { leadTo: projectSettingsPath(project.id), notice: 'project-changed' }
}

function showForm(visit: Visit, { id }: Project, values: Texts, problems: Texts): Markup {
  const path = projectSettingsPath(id)
  const docs = relativePath(organizationPath(visit.organization.id, path), '/docs/visitors')
  const field = (name: Field) => ({
    label: texts.labels[name],
    name,
    value: values[name] ?? '',
    hint: texts.hints[name],
    problem: problems[name],
  })
  return html`<p>${texts.intro} <a href="${docs}#what-counts-in-a-project">${texts.help}</a></p>
<form method="post" action="${visit.link(`${path}/save`)}" class="card">
${tokenField(visit)}
${linesField(field('ownAddresses'))}
${linesField(field('notPages'))}
${linesField(field('pages'))}
${selectField({ ...field('ai'), choices: aiMeanings.map(meaning => [meaning, texts.meanings[meaning]] as const) })}
${linesField({ ...field('agents'), rows: 10 })}
<p><button class="main">${texts.save}</button></p>
</form>
<p><a href="${visit.link('/visitors')}?project=${id}">${texts.visitors}</a></p>`
}

const texts = {
  title: (name: string) => `What counts in ${name}`,
  intro:
    'These settings apply to visits that are counted from now on. Imports use them at once, visits that are sent use them within a minute, and a followed log uses them after its process starts again. To apply them to the past, an operator resets the visits and imports the logs again.',
  help: 'How visits are counted',
  labels: {
    ownAddresses: 'Own addresses',
    notPages: 'Paths that are not pages',
    pages: 'Further pages',
    ai: 'What counts as AI',
    agents: 'Your own agents',
  },
  hints: {
    ownAddresses:
      'Views from these addresses do not count, for example from the office and from monitors. Write one address or block on each line, such as 203.0.113.0/24.',
    notPages: 'Write one path on each line, such as /status, or /internal/* for all paths that begin with /internal/.',
    pages:
      'Paths that count although they usually do not. Write one on each line: a whole path, /api/* for all paths that begin with /api/, or *.pdf for all that end with .pdf. A path that is in both lists does not count.',
    ai: 'All other agents count as programs.',
    agents:
      'JSON, such as {"agents": [{"name": "OurBot", "class": "assistant", "contains": ["OurBot/"]}]}. They come before the built-in agents. Leave it empty if you have none.',
  },
  meanings: { all: 'all AI agents', assistants: 'only assistants and coding agents, which read for a person now' },
  meaningUnknown: 'Choose what counts as AI from the list.',
  save: 'Save',
  visitors: 'Visitors of this project',
}
