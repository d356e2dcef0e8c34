import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Body, Document, Operation, Parameter, Schema } from '../../scripts/generate/document.ts'
import { openHandlersCompiler } from './compile-handlers.ts'

const document = JSON.parse(readFileSync(join(import.meta.dirname, '../../generated/openapi.json'), 'utf8')) as Document
const compiler = openHandlersCompiler()

const paths = {
  agentJob: '/v2/agent/{projectId}/job/{id}',
  visitors: '/v1/analytics/{projectId}/visitors',
  exportJobs: '/v1/static-export/jobs',
  exportJob: '/v1/static-export/jobs/{jobId}',
  bundle: '/v1/static-export/jobs/{jobId}/bundle',
}

function operation(mutant: Document, path: string, method: string): Operation {
  return found(mutant.paths[path]?.[method], `${method} ${path}`)
}
function schema(mutant: Document, name: string): Schema & { properties: Record<string, Schema>; required: string[] } {
  return found(mutant.components.schemas?.[name], name) as never
}
function property(mutant: Document, name: string, field: string): Schema {
  return found(schema(mutant, name).properties[field], `${name}.${field}`)
}
function parameter(mutant: Document, name: string): Parameter {
  return found(mutant.components.parameters?.[name], name) as Parameter
}
/** Fails if a mutation finds nothing to change. */
function found<T>(value: T | undefined, name: string): T {
  if (value === undefined) throw new Error(`The document has no ${name} any more; follow it in this test.`)
  return value
}
function removeProperty(mutant: Document, name: string, field: string): Schema {
  const { properties, required } = schema(mutant, name)
  const removed = property(mutant, name, field)
  delete properties[field]
  if (required.includes(field)) required.splice(required.indexOf(field), 1)
  return removed
}
function addProperty(mutant: Document, name: string, field: string, added: Schema): void {
  schema(mutant, name).properties[field] = added
  schema(mutant, name).required.push(field)
}
function rename<T>(record: Record<string, T>, from: string, to: string): void {
  record[to] = found(record[from], from)
  delete record[from]
}

function contentOfVisitors(mutant: Document): Record<string, unknown> {
  return found((operation(mutant, paths.visitors, 'get').responses['200'] as Body).content, 'content of the visitors')
}

test('the handlers compile with the unchanged document', async () => {
  expect(await compiler.findErrors(document)).toEqual({})
})

const mutations: { change: string; breaks: string; mutate: (mutant: Document) => void }[] = [
  {
    change: 'a status is dropped',
    breaks: 'generateStaticExportBundle.ts',
    mutate: mutant => delete operation(mutant, paths.bundle, 'post').responses['409'],
  },
  {
    change: 'a status gets another number',
    breaks: 'startStaticExportJob.ts',
    mutate: mutant => rename(operation(mutant, paths.exportJobs, 'post').responses, '202', '201'),
  },
  {
    change: 'a response field is renamed',
    breaks: 'getAgentJob.ts',
    mutate: mutant => addProperty(mutant, 'AgentJob', 'pullRequest', removeProperty(mutant, 'AgentJob', 'prLink')),
  },
  {
    change: 'a response field is retyped',
    breaks: 'startStaticExportJob.ts',
    mutate: mutant => Object.assign(property(mutant, 'ExportJob', 'pageCount'), { type: 'string' }),
  },
  {
    change: 'a required response field is added',
    breaks: 'generateStaticExportBundle.ts',
    mutate: mutant => addProperty(mutant, 'ExportBundle', 'fileName', { type: 'string' }),
  },
  {
    change: 'a response field is removed',
    breaks: 'getAgentJob.ts',
    mutate: mutant => removeProperty(mutant, 'AgentJob', 'model'),
  },
  {
    change: 'a field of the totals is removed',
    breaks: 'getUniqueVisitors.ts',
    mutate: mutant => removeProperty(mutant, 'VisitorCounts', 'ai'),
  },
  {
    change: 'a field of a row is removed',
    breaks: 'getUniqueVisitors.ts',
    mutate: mutant => removeProperty(mutant, 'PageVisitors', 'ai'),
  },
  {
    change: 'a field inside a response object is removed',
    breaks: 'getAgentJob.ts',
    mutate: mutant => {
      const source = property(mutant, 'AgentJob', 'source') as ReturnType<typeof schema>
      delete source.properties.ref
      source.required = ['repository']
    },
  },
  {
    change: 'a field inside a response object is renamed',
    breaks: 'getAgentJob.ts',
    mutate: mutant => {
      const source = property(mutant, 'AgentJob', 'source') as ReturnType<typeof schema>
      rename(source.properties, 'ref', 'branch')
      source.required = ['repository', 'branch']
    },
  },
  {
    change: 'a required field is added to the counts',
    breaks: 'getUniqueVisitors.ts',
    mutate: mutant => addProperty(mutant, 'VisitorCounts', 'bots', { type: 'integer' }),
  },
  {
    change: 'an enum value is replaced',
    breaks: 'getAgentJob.ts',
    mutate: mutant =>
      Object.assign(property(mutant, 'AgentJob', 'status'), { enum: ['active', 'completed', 'shelved', 'failed'] }),
  },
  {
    change: 'an enum value is removed',
    breaks: 'startStaticExportJob.ts',
    mutate: mutant =>
      Object.assign(property(mutant, 'ExportJob', 'status'), { enum: ['running', 'completed', 'failed'] }),
  },
  {
    change: 'a nullable field becomes non-null',
    breaks: 'getAgentJob.ts',
    mutate: mutant => Object.assign(property(mutant, 'AgentJob', 'prLink'), { type: 'string' }),
  },
  {
    change: 'the error becomes an object',
    breaks: 'getStaticExportJob.ts',
    mutate: mutant =>
      Object.assign(property(mutant, 'ApiError', 'error'), {
        type: 'object',
        properties: {},
        additionalProperties: false,
      }),
  },
  {
    change: 'the details of an analytics error become strings',
    breaks: 'getUniqueVisitors.ts',
    mutate: mutant => Object.assign(property(mutant, 'AnalyticsError', 'details'), { items: { type: 'string' } }),
  },
  {
    change: 'a response header is renamed',
    breaks: 'startStaticExportJob.ts',
    mutate: mutant => {
      const accepted = operation(mutant, paths.exportJobs, 'post').responses['202'] as {
        headers: Record<string, unknown>
      }
      rename(accepted.headers, 'Location', 'Content-Location')
    },
  },
  {
    change: 'the CSV is dropped',
    breaks: 'getUniqueVisitors.ts',
    mutate: mutant => delete contentOfVisitors(mutant)['text/csv'],
  },
  {
    change: 'the CSV becomes another media type',
    breaks: 'getUniqueVisitors.ts',
    mutate: mutant => rename(contentOfVisitors(mutant), 'text/csv', 'text/tab-separated-values'),
  },
  {
    change: 'the 304 is dropped',
    breaks: 'index.ts',
    mutate: mutant => delete operation(mutant, paths.visitors, 'get').responses['304'],
  },
  {
    change: 'another operation gets a 304',
    breaks: 'index.ts',
    mutate: mutant =>
      Object.assign(operation(mutant, paths.agentJob, 'get').responses, { 304: { description: 'unchanged' } }),
  },
  {
    change: 'an operation is added',
    breaks: 'index.ts',
    mutate: mutant => {
      const added = structuredClone(operation(mutant, paths.exportJob, 'get'))
      Object.assign(mutant.paths[paths.exportJobs] as object, {
        get: { ...added, operationId: 'listStaticExportJobs' },
      })
    },
  },
  {
    change: 'an operation is removed',
    breaks: 'getAgentJob.ts',
    mutate: mutant => delete mutant.paths[paths.agentJob],
  },
  {
    change: 'an operation is renamed',
    breaks: 'getAgentJob.ts',
    mutate: mutant => Object.assign(operation(mutant, paths.agentJob, 'get'), { operationId: 'findAgentJob' }),
  },
  {
    change: 'a path parameter is renamed',
    breaks: 'getStaticExportJob.ts',
    mutate: mutant => Object.assign(parameter(mutant, 'ExportJobId'), { name: 'exportId' }),
  },
  {
    change: 'a query parameter is renamed',
    breaks: 'getUniqueVisitors.ts',
    mutate: mutant => Object.assign(parameter(mutant, 'DateFrom'), { name: 'from' }),
  },
  {
    change: 'a query parameter is retyped',
    breaks: 'getUniqueVisitors.ts',
    mutate: mutant => Object.assign(parameter(mutant, 'Limit'), { schema: { type: 'string', default: '50' } }),
  },
  {
    change: 'a query parameter loses its default',
    breaks: 'getUniqueVisitors.ts',
    mutate: mutant => delete (parameter(mutant, 'Offset').schema as Schema).default,
  },
  {
    change: 'a request header is renamed',
    breaks: 'startStaticExportJob.ts',
    mutate: mutant => Object.assign(parameter(mutant, 'IdempotencyKey'), { name: 'Request-Key' }),
  },
  {
    change: 'a request field is renamed',
    breaks: 'startStaticExportJob.ts',
    mutate: mutant => addProperty(mutant, 'StartExport', 'host', removeProperty(mutant, 'StartExport', 'domain')),
  },
  {
    change: 'a request field is retyped',
    breaks: 'startStaticExportJob.ts',
    mutate: mutant => Object.assign(property(mutant, 'StartExport', 'paths'), { type: 'string', items: undefined }),
  },
  {
    change: 'a required request field becomes optional',
    breaks: 'startStaticExportJob.ts',
    mutate: mutant => schema(mutant, 'StartExport').required.splice(0),
  },
  {
    change: 'a request enum gets a value',
    breaks: 'startStaticExportJob.ts',
    mutate: mutant => Object.assign(property(mutant, 'StartExport', 'format'), { enum: ['zip', 'tar.gz', 'tar.zst'] }),
  },
]

test.each(mutations)('the compile breaks in $breaks when $change', async ({ mutate, breaks }) => {
  const mutant = structuredClone(document)
  mutate(mutant)
  expect(mutant).not.toEqual(document)
  expect(Object.keys(await compiler.findErrors(mutant))).toContain(breaks)
})
