import type { Deployment } from '../../products/features.ts'
import type { Listed } from '../../tenancy/list-part.ts'
import { includesStaticExport } from '../../tenancy/organization.ts'
import type { Site } from '../../tenancy/site.ts'
import type { Visit } from '../page.ts'
import { tokenField } from '../parts/action.ts'
import { checkFields, linesField, problemLine, selectField, textField } from '../parts/field.ts'
import { type Fragment, html, type Markup } from '../parts/html.ts'
import { exportTexts, startTexts as texts } from '../texts/exports.ts'
import { deployments, type ExportForm, listConfigurable } from './export-form.ts'
import { maxChoices } from './project-choice.ts'

/** The form that starts an export. What most people leave as it is can be unfolded. */
export function exportForm(visit: Visit, sites: Listed<Site>, form: ExportForm): Markup {
  return html`<form method="post" action="${visit.link('/exports/start')}" class="card">
${tokenField(visit)}<input type="hidden" name="key" value="${form.idempotencyKey}">
${generalProblems(visit, form)}
${siteField(sites, form)}
<details${isUnfolded(form) && html` open`}><summary>${texts.moreOptions}</summary>
${textField({ label: texts.version, name: 'version', value: form.version, hint: texts.versionHint, problem: form.problems.version, maxLength: 64 })}
${linesField({ label: texts.paths, name: 'paths', value: form.paths, hint: texts.pathsHint, problem: form.problems.paths, rows: 4 })}
${deploymentFields(form)}
${checkFields({ legend: texts.offlineSearch, boxes: { offlineSearch: { label: texts.offlineSearchLabel, checked: form.offlineSearch } } })}
${selectField({ label: texts.format, name: 'format', value: form.format, choices: Object.entries(texts.formats), problem: form.problems.format })}
</details>
<p><button class="main">${texts.start}</button></p>
</form>`
}

/** The site to export. With very many, it is typed. */
function siteField({ rows, count }: Listed<Site>, { domain, problems }: ExportForm): Markup {
  const field = { label: texts.site, name: 'domain', value: domain, problem: problems.domain }
  if (count > maxChoices) return textField({ ...field, hint: texts.siteHint, required: true, maxLength: 253 })
  const choices = rows.map(row => [row.domain, row.domain] as const)
  return selectField({ ...field, choices: keepChoice(choices, domain) })
}

/** A site that was removed meanwhile stays chosen, so that its problem is about what the person sees. */
function keepChoice(choices: readonly (readonly [string, string])[], chosen: string) {
  return chosen === '' || choices.some(([value]) => value === chosen)
    ? choices
    : [...choices, [chosen, chosen] as const]
}

function generalProblems({ organization }: Visit, { general }: ExportForm): Fragment {
  if (general.length === 0) return false
  return html`<div class="notice bad" role="alert"><p><strong>${texts.notStarted}</strong></p>
${general.map(sentence => html`<p>${sentence}</p>`)}${!includesStaticExport(organization.plan) && html`<p>${exportTexts.planHint}</p>`}</div>`
}

/** Whether a setting differs from what most people want, or is wrong. */
function isUnfolded({ version, paths, deployment, features, offlineSearch, format, problems }: ExportForm): boolean {
  const hasProblem = Object.keys(problems).some(field => field !== 'domain')
  const hasText = version !== '' || paths !== '' || format !== 'zip'
  return hasProblem || hasText || offlineSearch || deployment !== 'air-gapped' || features.size > 0
}

function deploymentFields(form: ExportForm): Markup {
  return html`<fieldset class="field"><legend>${texts.deployment}</legend>
${deployments.map(deployment => deploymentField(form, deployment))}
${problemLine('deployment', form.problems.deployment)}${problemLine('features', form.problems.features)}</fieldset>`
}

/** A deployment, what is fixed in it and why, and the features to choose, which show when the deployment is chosen. */
function deploymentField({ deployment: chosen, features }: ExportForm, deployment: Deployment): Markup {
  const { label, hint, choice } = texts.deployments[deployment]
  const boxes = listConfigurable(deployment).map(feature => {
    const name = `${deployment}.${feature}`
    return html`<label class="check"><input type="checkbox" name="${name}"${features.has(name) && html` checked`}> ${texts.features[feature]}</label>`
  })
  return html`<div class="choice">
<label class="check"><input type="radio" name="deployment" value="${deployment}"${deployment === chosen && html` checked`} aria-describedby="hint-${deployment}"> ${label}</label>
<p class="hint" id="hint-${deployment}">${hint}</p>
${boxes.length > 0 && html`<div class="inner" role="group" aria-label="${choice}"><p class="hint">${choice}</p>${boxes}</div>`}
</div>
`
}
