import type { AgentSource } from '../../agent/agent-source.ts'
import type { AgentOffer } from '../../agent/run/plan-run.ts'
import { createId } from '../../tenancy/id.ts'
import type { Project } from '../../tenancy/project.ts'
import type { DashboardDeps } from '../deps.ts'
import type { Visit } from '../page.ts'
import { tokenField } from '../parts/action.ts'
import { copyButton } from '../parts/copy.ts'
import { checkFields, linesField, textField } from '../parts/field.ts'
import { type Fragment, html, type Markup } from '../parts/html.ts'
import { agentStartTexts as texts } from '../texts/agent-runs.ts'
import { checkPrompt, readPrompt } from './agent-prompt.ts'
import { describeRepository } from './repository.ts'

/** As in the document of the API. */
const maxBranchCharacters = 200
const maxFolderCharacters = 500

/** What a person wrote into the form that starts a job, and what is wrong with it. */
export interface StartForm {
  prompt: string
  branch: string
  folder: string
  /** Undefined = as the source says. */
  draft: boolean | undefined
  /** The id of the job, so that a form starts one job however often it is sent. */
  jobId: string
  problems: { prompt?: string; branch?: string; folder?: string }
  /** A problem of no single field. */
  general?: string
}

/** The form before anything was typed. */
export function createStartForm(offer: AgentOffer | undefined): StartForm {
  const prompt = offer?.suggestion ?? ''
  return { prompt, branch: '', folder: '', draft: undefined, jobId: createId('aj'), problems: {} }
}

export function readStartForm(form: URLSearchParams): StartForm {
  const prompt = readPrompt(form)
  const given = form.get('key') ?? ''
  return {
    prompt,
    branch: (form.get('branch') ?? '').trim(),
    folder: (form.get('folder') ?? '').trim(),
    draft: form.has('draft'),
    jobId: /^aj_[0-9a-f]{16}$/.test(given) ? given : createId('aj'),
    problems: checkPrompt(prompt),
  }
}

/** Puts the sentence of a refusal at its field. The sentence about a field begins with the name of the field. */
export function addStartProblem(form: StartForm, sentence: string): StartForm {
  const field = /^(branch|folder)\b/.exec(sentence)?.[1] as 'branch' | 'folder' | undefined
  if (field === undefined) return { ...form, general: sentence }
  const words = sentence.replace(/^\w+: /, '')
  return { ...form, problems: { ...form.problems, [field]: words.charAt(0).toUpperCase() + words.slice(1) } }
}

/** The form, or one sentence about what it needs. */
export async function showStart(visit: Visit, deps: DashboardDeps, project: Project, form: StartForm): Promise<Markup> {
  const { agents } = deps
  const title = html`<h2 id="start">${texts.title}</h2>`
  if (!agents) return html`${title}<p class="hint">${texts.noAgent}</p>`
  const problem = await deps.findAgentProblem()
  if (problem !== undefined) return html`${title}<p class="notice bad">${texts.noAgentHere(problem)}</p>`
  const source = await deps.agentSources.find(project.id)
  if (!source) return html`${title}${askForSource(project)}`
  return html`${title}<p>${texts.intro(describeRepository(source.page), source.branch)}</p>${startForm(visit, project, { source, agents, form })}`
}

function askForSource({ id }: Project): Markup {
  const command = texts.sourceCommand(id)
  return html`<p class="empty">${texts.noSource}<br><code>${command}</code><br>${copyButton(command, { label: texts.copy, name: texts.copyCommand })}</p>`
}

function startForm(
  visit: Visit,
  { id }: Project,
  { source, agents, form }: { source: AgentSource; agents: AgentOffer; form: StartForm },
): Markup {
  const { prompt, branch, folder, jobId, problems } = form
  const draft = form.draft ?? source.isDraft
  const isUnfolded = branch !== '' || folder !== '' || draft !== source.isDraft
  const hint = agents.suggestion === undefined ? texts.promptHint : texts.demoHint
  return html`<form method="post" action="${visit.link('/agent-jobs/start')}?project=${encodeURIComponent(id)}" class="card">
${tokenField(visit)}<input type="hidden" name="key" value="${jobId}">
${showProblem(form.general)}
${linesField({ label: texts.prompt, name: 'prompt', value: prompt, hint, problem: problems.prompt, rows: 4 })}
<details${isUnfolded && html` open`}><summary>${texts.more}</summary>
${textField({ label: texts.branch, name: 'branch', value: branch, hint: texts.branchHint(source.branch), problem: problems.branch, maxLength: maxBranchCharacters })}
${textField({ label: texts.folder, name: 'folder', value: folder, hint: texts.folderHint(source.folders), problem: problems.folder, maxLength: maxFolderCharacters })}
${checkFields({ legend: texts.draft, boxes: { draft: { label: texts.draftLabel, checked: draft } } })}
</details>
<p><button class="main">${texts.start}</button></p>
</form>`
}

function showProblem(sentence: string | undefined): Fragment {
  if (sentence === undefined) return false
  return html`<div class="notice bad" role="alert"><p><strong>${texts.notStarted}</strong></p><p>${sentence}</p></div>`
}
