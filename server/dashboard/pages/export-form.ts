import { randomUUID } from 'node:crypto'
import type { ExportJob } from '../../export/jobs/export-job.ts'
import { availability, type Deployment } from '../../products/features.ts'
import type { Feature } from '../../tenancy/removal-rules.ts'
import { readLines } from '../parts/field.ts'
import { startTexts as texts } from '../texts/exports.ts'

export const deployments = ['air-gapped', 'client-hosted', 'cloud'] as const
export const allFeatures = Object.keys(availability) as Feature[]

/** The parts of the form that a sentence about a problem can stand at. */
export type ExportField = 'domain' | 'version' | 'paths' | 'deployment' | 'features' | 'format'

/** What a person wrote into the form that starts an export, and what is wrong with it. */
export interface ExportForm {
  domain: string
  version: string
  /** One path on each line. */
  paths: string
  /** One of `deployments`, unless the form was tampered with. */
  deployment: string
  /** The ticked features of all deployments, such as `client-hosted.search`. */
  features: ReadonlySet<string>
  offlineSearch: boolean
  format: string
  /** Makes a form start one export, however often its button is pressed. */
  idempotencyKey: string
  problems: Partial<Record<ExportField, string>>
  /** Problems of no single field. */
  general: readonly string[]
}

/** The form before anything was typed. */
export function createForm(domain = ''): ExportForm {
  return {
    domain,
    version: '',
    paths: '',
    deployment: 'air-gapped',
    features: new Set(),
    offlineSearch: false,
    format: 'zip',
    idempotencyKey: randomUUID(),
    problems: {},
    general: [],
  }
}

/** The form with the settings of an earlier export. */
export function createFormLike({ request }: Pick<ExportJob, 'request'>): ExportForm {
  const { domain, version, paths, deployment, features, offlineSearch, format } = request
  return {
    ...createForm(domain),
    version: version ?? '',
    paths: (paths ?? []).join('\n'),
    deployment,
    features: new Set(allFeatures.filter(feature => features[feature]).map(feature => `${deployment}.${feature}`)),
    offlineSearch,
    format,
  }
}

export function readExportForm(form: URLSearchParams): ExportForm {
  const text = (name: string) => form.get(name) ?? ''
  const names = deployments.flatMap(deployment => allFeatures.map(feature => `${deployment}.${feature}`))
  return {
    ...createForm(text('domain')),
    version: text('version'),
    paths: text('paths'),
    deployment: text('deployment'),
    features: new Set(names.filter(name => form.has(name))),
    offlineSearch: form.has('offlineSearch'),
    format: text('format'),
    idempotencyKey: text('key'),
  }
}

/** Converts the form to the body of startStaticExportJob, which checks it. */
export function toStartBody(form: ExportForm): Record<string, unknown> {
  const { domain, deployment, offlineSearch, format } = form
  const version = form.version.trim()
  const paths = listPaths(form)
  return {
    domain,
    deployment,
    offlineSearch,
    format,
    ...(version !== '' && { version }),
    ...(paths.length > 0 && { paths }),
    features: Object.fromEntries(
      listConfigurable(deployment).map(feature => [feature, form.features.has(`${deployment}.${feature}`)]),
    ),
  }
}

/** The features that a person can choose for a deployment. */
export function listConfigurable(deployment: string): Feature[] {
  if (!deployments.includes(deployment as Deployment)) return []
  return allFeatures.filter(feature => availability[feature][deployment as Deployment] === 'configurable')
}

/**
 * Puts each problem of a refusal at its field, in words of the form. The sentences begin with the name of a field of the API, such as
 * `paths[0]`, or with that of a header; others are about no field.
 */
export function addProblems(form: ExportForm, sentences: readonly string[]): ExportForm {
  const problems: ExportForm['problems'] = {}
  const general: string[] = []
  for (const sentence of sentences) {
    const field = /^(domain|version|paths|deployment|features|format)\b/.exec(sentence)?.[1] as ExportField | undefined
    if (field === undefined) general.push(/^Idempotency-Key\b/i.test(sentence) ? texts.outdatedForm : sentence)
    else problems[field] = [problems[field], describeProblem(field, sentence, form)].filter(Boolean).join(' ')
  }
  return { ...form, problems, general }
}

/** Quotes the path that is meant, in place of its position in a list that the person does not see. */
function describeProblem(field: ExportField, sentence: string, form: ExportForm): string {
  const path = listPaths(form)[Number(/^paths\[(\d+)\]/.exec(sentence)?.[1])]
  return path === undefined ? texts.problems[field] : texts.problems.path(path)
}

/** The paths without repetitions. People also paste whole addresses of the site. */
function listPaths({ paths, domain }: ExportForm): string[] {
  return [...new Set(readLines(paths).map(line => toPath(line, domain)))]
}

function toPath(line: string, domain: string): string {
  const url = /^https?:\/\//i.test(line) ? URL.parse(line) : null
  return url?.hostname === domain && url.search === '' ? url.pathname : line
}
