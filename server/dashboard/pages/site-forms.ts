import type { Site } from '../../tenancy/site.ts'
import type { Visit } from '../page.ts'
import { actionButton, tokenField } from '../parts/action.ts'
import { linesField, textField } from '../parts/field.ts'
import { html, type Markup } from '../parts/html.ts'
import { time } from '../parts/time.ts'
import { siteTexts } from '../texts/sites.ts'
import type { ProbeAnswer } from './probe-answer.ts'
import { isOperator } from './projects.ts'

const { site: texts, ...common } = siteTexts

/** The rules that the page can change. Further products come from a file, and stay as they are. */
export const ruleFields = ['removeSelectors', 'removeScripts', 'keep', 'excludePages'] as const
export type RuleField = (typeof ruleFields)[number]

/** What was typed into the forms of a site, what is wrong with it, and how the origin answered a test. */
export interface SiteForm {
  values?: Readonly<Record<string, string>>
  problems?: Readonly<Record<string, string>>
  probe?: ProbeAnswer
}

/** The page of a site. `automatic` is what happens without a person: its schedule and webhooks. */
export function showSite(
  visit: Visit,
  { site, projectName, form, automatic }: { site: Site; projectName: string; form: SiteForm; automatic: Markup },
): Markup {
  const path = `/projects/sites/${site.domain}`
  return html`<dl class="facts">
<dt>${texts.facts.project}</dt><dd>${projectName}</dd>
<dt>${texts.facts.origin}</dt><dd>${site.origin ?? `https://${site.domain}/`}</dd>
<dt>${texts.facts.allowed}</dt><dd>${site.allowedOrigins.join(', ') || texts.none}</dd>
<dt>${texts.facts.login}</dt><dd>${site.loginAt === null ? texts.none : time(site.loginAt)}</dd>
<dt>${texts.facts.created}</dt><dd>${time(site.createdAt)}</dd>
</dl>
<p><a class="button main" href="${visit.link('/exports')}?site=${site.domain}#start">${texts.export}</a></p>
<h2>${texts.testTitle}</h2>
<p class="quiet">${texts.testHint}</p>
${actionButton(visit, `${path}/test`, { label: texts.test })}
${form.probe && probeResult(form.probe)}
${automatic}
${isOperator(visit) ? originForm(visit, site, path, form) : html`<p class="quiet">${common.operatorOnly}</p>`}
${rulesForm(visit, site, path, form)}
${isOperator(visit) && deleteForm(visit, site, path)}`
}

function probeResult({ isGood, sentences }: ProbeAnswer): Markup {
  return html`<div class="notice${!isGood && ' bad'}" role="status"><h3>${common.probe.title}</h3>
<ul>${sentences.map(sentence => html`<li>${sentence}</li>`)}</ul></div>`
}

function originForm(visit: Visit, site: Site, path: string, { values, problems }: SiteForm): Markup {
  return html`<h2>${texts.editTitle}</h2>
<form method="post" action="${visit.link(`${path}/origin`)}" class="card">
${tokenField(visit)}
${textField({ label: common.origin, name: 'origin', value: values?.origin ?? site.origin ?? '', hint: common.originHint, problem: problems?.origin })}
${linesField({ label: texts.allowed, name: 'allowed', value: values?.allowed ?? site.allowedOrigins.join('\n'), hint: texts.allowedHint, problem: problems?.allowed })}
<p><button class="main">${texts.save}</button></p>
</form>`
}

function rulesForm(visit: Visit, { removal }: Site, path: string, { values, problems }: SiteForm): Markup {
  const fields = ruleFields.map(name =>
    linesField({
      label: texts[name],
      name,
      value: values?.[name] ?? removal?.[name].join('\n') ?? '',
      hint: texts[`${name}Hint`],
      problem: problems?.[name],
    }),
  )
  const products = removal?.products.length ?? 0
  return html`<h2>${texts.rulesTitle}</h2>
<p class="quiet">${texts.rulesHint}</p>
<form method="post" action="${visit.link(`${path}/rules`)}" class="card">
${tokenField(visit)}${fields}
${products > 0 && html`<p class="hint">${texts.productsKept(products)}</p>`}
<p><button class="main">${texts.save}</button></p>
</form>`
}

function deleteForm(visit: Visit, { domain }: Site, path: string): Markup {
  return html`<h2>${texts.deleteTitle}</h2>
<p class="quiet">${texts.deleteHint}</p>
${actionButton(visit, `${path}/delete`, { label: texts.delete, confirm: texts.confirmDelete(domain), kind: 'danger' })}`
}
