import { OperatorError } from '../../base/operator-error.ts'
import { includesStaticExport } from '../../tenancy/organization.ts'
import type { Site } from '../../tenancy/site.ts'
import {
  cut,
  describeSchedule,
  maxHours,
  nextStart,
  parseRhythm,
  type ScheduleOutcome,
  type ScheduleSettings,
  type SiteSchedule,
  weekdays,
} from '../../tenancy/site-schedule.ts'
import type { DashboardDeps } from '../deps.ts'
import type { Answer, Visit } from '../page.ts'
import { tokenField } from '../parts/action.ts'
import { factList } from '../parts/facts.ts'
import { checkFields, problemLine, selectField, textField } from '../parts/field.ts'
import { type Fragment, html, type Markup } from '../parts/html.ts'
import { time } from '../parts/time.ts'
import { exportPath, sitePath } from '../paths.ts'
import { exportTexts } from '../texts/exports.ts'
import { scheduleTexts as texts } from '../texts/sites.ts'
import type { SiteForm } from './site-forms.ts'

const kinds = ['off', 'hours', 'daily', 'weekly'] as const
type Values = Readonly<Record<string, string>>

/** Sets when exports of a site start by themselves. Returns the form again if a field is wrong. */
export async function changeSchedule(visit: Visit, _: DashboardDeps, { domain }: Site): Promise<Answer | SiteForm> {
  const values = Object.fromEntries(visit.form)
  const problems: Record<string, string> = {}
  const settings = readSettings(values, problems)
  if (Object.keys(problems).length > 0) return { values, problems }
  const event = { action: 'site.changed', subject: domain, detail: describeSchedule(settings) } as const
  await visit.record(event, function* ({ siteSchedules }) {
    if (!settings) return yield* siteSchedules.delete(domain)
    yield* siteSchedules.put(domain, settings, nextStart(settings.rhythm, visit.now))
    return true
  })
  return { leadTo: sitePath(domain), notice: settings ? 'schedule-set' : 'schedule-off' }
}

/** @return null = off, or a field is wrong */
function readSettings(values: Values, problems: Record<string, string>): ScheduleSettings | null {
  const { rhythm: kind, hours = '', dailyTime = '', weekday = '', weeklyTime = '' } = values
  if (kind === 'off') return null
  const read = (name: string, text: string, problem: string): ScheduleSettings | null => {
    try {
      return { rhythm: parseRhythm(text), onlyIfChanged: values.onlyIfChanged !== undefined }
    } catch (error) {
      if (!(error instanceof OperatorError)) throw error
      problems[name] = problem
      return null
    }
  }
  if (kind === 'hours') return read('hours', `every ${hours}`, texts.hoursInvalid(maxHours))
  if (kind === 'daily') return read('dailyTime', `daily ${dailyTime}`, texts.timeInvalid)
  const isDay = (weekdays as readonly string[]).includes(weekday)
  if (kind === 'weekly' && isDay) return read('weeklyTime', `weekly ${weekday}@${weeklyTime}`, texts.timeInvalid)
  if (kind === 'weekly') problems.weekday = texts.weekdayUnknown
  else problems.rhythm = texts.rhythmUnknown
  return null
}

/** What the form shows for a schedule. The fields of the other rhythms have usual values. */
function toValues(schedule: SiteSchedule | undefined): Values {
  const usual = { rhythm: 'off', hours: '24', dailyTime: '03:00', weekday: 'mon', weeklyTime: '03:00' }
  if (!schedule) return { ...usual, onlyIfChanged: 'on' }
  const { rhythm, onlyIfChanged } = schedule
  const ticked = onlyIfChanged ? { onlyIfChanged: 'on' } : {}
  const [kind, value] = cut(rhythm.text, ' ')
  if (kind === 'every') return { ...usual, ...ticked, rhythm: 'hours', hours: value.slice(0, -1) }
  if (kind === 'daily') return { ...usual, ...ticked, rhythm: kind, dailyTime: value }
  const [weekday, weeklyTime] = cut(value, '@')
  return { ...usual, ...ticked, rhythm: 'weekly', weekday, weeklyTime }
}

/** @param found the schedule of the site, and whether the export that it started last still exists */
export function showSchedule(
  visit: Visit,
  { domain }: Site,
  found: { schedule: SiteSchedule | undefined; hasJob: boolean },
  form: SiteForm,
): Markup {
  const { schedule } = found
  const problems = form.problems ?? {}
  const values = form.values?.rhythm === undefined ? toValues(schedule) : form.values
  const field = (name: string, label: string) => ({ label, name, value: values[name] ?? '', problem: problems[name] })
  const days = weekdays.map(day => [day, texts.weekdays[day]] as const)
  const inner: Record<(typeof kinds)[number], Fragment> = {
    off: false,
    hours: textField({ ...field('hours', texts.hours), maxLength: 5 }),
    daily: textField({ ...field('dailyTime', texts.time), maxLength: 5 }),
    weekly: html`${selectField({ ...field('weekday', texts.weekday), choices: days })}
${textField({ ...field('weeklyTime', texts.time), maxLength: 5 })}`,
  }
  return html`<h2 id="schedule">${texts.title}</h2>
<p class="quiet">${texts.intro}</p>
${!includesStaticExport(visit.organization.plan) && html`<p class="notice bad" role="alert">${exportTexts.planHint}</p>`}
${
  schedule &&
  factList([
    [texts.next, time(schedule.nextAt)],
    [texts.last, showOutcome(visit, schedule, found.hasJob)],
  ])
}
<form method="post" action="${visit.link(`${sitePath(domain)}/schedule`)}" class="card">
${tokenField(visit)}
<fieldset class="field"><legend>${texts.rhythm}</legend>
${kinds.map(
  kind => html`<div class="choice">
<label class="check"><input type="radio" name="rhythm" value="${kind}"${kind === values.rhythm && html` checked`}> ${texts.kinds[kind]}</label>
${inner[kind] && html`<div class="inner">${inner[kind]}</div>`}
</div>
`,
)}
${problemLine('rhythm', problems.rhythm)}</fieldset>
${checkFields({ legend: texts.condition, boxes: { onlyIfChanged: { label: texts.onlyIfChanged, checked: values.onlyIfChanged !== undefined } } })}
<p class="hint">${texts.onlyIfChangedHint}</p>
<p><button class="main">${texts.save}</button></p>
</form>`
}

function showOutcome(visit: Visit, schedule: SiteSchedule, hasJob: boolean): Fragment {
  const { outcome, jobId, startedAt } = schedule
  if (!outcome) return texts.nothingYet
  const at = time(outcome.at)
  const shown: Record<ScheduleOutcome['kind'], Markup> = {
    started: html`${hasJob && jobId !== null ? html`<a href="${visit.link(exportPath(jobId))}">${texts.started}</a>` : texts.started}, ${at}`,
    unchanged: html`${texts.unchangedSince} ${startedAt === null ? '' : time(startedAt)}, ${texts.checked} ${at}`,
    active: html`${texts.active}, ${at}`,
    refused: html`${texts.refused}, ${at}. ${outcome.problem}`,
  }
  return shown[outcome.kind]
}
