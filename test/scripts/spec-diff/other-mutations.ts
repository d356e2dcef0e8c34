import { agentJob, type Mutation, type Node, parameter, property, schema, start, visitors } from './mutations.ts'

function addEvent(document: Node, name: string): void {
  const schema = { type: 'object', properties: { type: { type: 'string' } } }
  document.webhooks = { [name]: { post: { requestBody: { content: { 'application/json': { schema } } } } } }
}

/** Edits of the operations, of what protects them, and of texts. */
export const otherMutations: Mutation[] = [
  {
    change: 'an operation is removed',
    level: 'breaking',
    ids: ['operation-removed'],
    mutate: mutant => delete mutant.paths['/v2/agent/{projectId}/job/{id}'],
  },
  {
    change: 'an operation is added',
    level: 'not breaking',
    ids: ['operation-added'],
    mutate: mutant =>
      Object.assign(mutant.paths['/v1/static-export/jobs'], {
        get: { ...start(mutant), operationId: 'listStaticExportJobs' },
      }),
  },
  {
    change: 'an event is added to the webhooks',
    level: 'not breaking',
    ids: ['webhook-added'],
    mutate: mutant => addEvent(mutant, 'export.completed'),
  },
  {
    change: 'an event is removed from the webhooks',
    level: 'breaking',
    ids: ['webhook-removed'],
    prepare: released => addEvent(released, 'export.completed'),
    mutate: mutant => delete mutant.webhooks['export.completed'],
  },
  {
    change: 'an event has a field less',
    level: 'breaking',
    ids: ['response-property-removed'],
    prepare: released => addEvent(released, 'export.completed'),
    mutate: mutant => {
      const { schema } = mutant.webhooks['export.completed'].post.requestBody.content['application/json']
      delete schema.properties.type
    },
  },
  {
    change: 'a path is renamed',
    level: 'breaking',
    ids: ['operation-removed', 'operation-added'],
    mutate: mutant => {
      const { '/v1/static-export/jobs': item, ...others } = mutant.paths
      mutant.paths = { '/v1/exports': item, ...others }
    },
  },
  {
    change: 'an operationId changes',
    level: 'breaking',
    ids: ['operation-id-changed'],
    mutate: mutant => Object.assign(agentJob(mutant), { operationId: 'findAgentJob' }),
  },
  {
    change: 'an operation is deprecated',
    level: 'not breaking',
    ids: ['deprecated'],
    mutate: mutant => Object.assign(agentJob(mutant), { deprecated: true }),
  },
  {
    change: 'an operation needs another scope',
    level: 'breaking',
    ids: ['security-tightened'],
    mutate: mutant => Object.assign(agentJob(mutant), { security: [{ adminApiKey: ['write'] }] }),
  },
  {
    change: 'an operation needs one more scope',
    level: 'breaking',
    ids: ['security-tightened'],
    mutate: mutant => agentJob(mutant).security[0].adminApiKey.push('agent'),
  },
  {
    change: 'an operation is open to everybody',
    level: 'not breaking',
    ids: ['security-loosened'],
    mutate: mutant => Object.assign(agentJob(mutant), { security: [] }),
  },
  {
    change: 'keys are sent in another way',
    level: 'breaking',
    ids: ['security-tightened'],
    mutate: mutant => Object.assign(mutant.components.securitySchemes.adminApiKey, { scheme: 'basic' }),
  },
  {
    change: 'an operation needs a plan',
    level: 'breaking',
    ids: ['plan-required'],
    mutate: mutant => Object.assign(visitors(mutant), { 'x-required-plan': 'enterprise' }),
  },
  {
    change: 'the rate limit is lowered',
    level: 'breaking',
    ids: ['rate-limit-tightened'],
    mutate: mutant => Object.assign(mutant['x-rate-limits'].analytics, { quota: 50 }),
  },
  {
    change: 'the rate limit is raised',
    level: 'not breaking',
    ids: ['rate-limit-loosened'],
    mutate: mutant => Object.assign(mutant['x-rate-limits'].analytics, { quota: 200 }),
  },
  {
    change: 'the server gets a path',
    level: 'breaking',
    ids: ['server-path-changed', 'server-changed'],
    mutate: mutant => Object.assign(mutant.servers[0], { url: 'http://127.0.0.1:8787/api' }),
  },
  {
    change: 'the document is in a newer OpenAPI',
    level: 'breaking',
    ids: ['format-of-document-changed'],
    mutate: mutant => Object.assign(mutant, { openapi: '3.2.0' }),
  },
  {
    change: 'the document is in a newer patch release of OpenAPI',
    level: 'documentation',
    ids: ['text-changed'],
    mutate: mutant => Object.assign(mutant, { openapi: '3.1.2' }),
  },
  {
    change: 'a description changes',
    level: 'documentation',
    ids: ['text-changed'],
    mutate: mutant => Object.assign(property(mutant, 'ExportJob', 'status'), { description: 'The state of the job.' }),
  },
  {
    change: 'an example of a parameter changes',
    level: 'documentation',
    ids: ['example-changed'],
    mutate: mutant => Object.assign(parameter(mutant, 'Limit'), { example: 25 }),
  },
  {
    change: 'an example of an answer changes, in its component',
    level: 'documentation',
    ids: ['example-changed'],
    mutate: mutant => Object.assign(mutant.components.examples.ExportJobQueued.value, { pageCount: 1 }),
  },
  {
    change: 'a decision is written down',
    level: 'documentation',
    ids: ['text-changed'],
    mutate: mutant => Object.assign(start(mutant), { 'x-decision': 'Because.' }),
  },
  {
    change: 'a schema that no operation uses is added',
    level: 'documentation',
    ids: [],
    mutate: mutant => Object.assign(mutant.components.schemas, { Unused: { type: 'string' } }),
  },
  {
    change: 'a keyword without a rule is added',
    level: 'breaking',
    ids: ['other-changed'],
    mutate: mutant => Object.assign(schema(mutant, 'StartExport'), { dependentRequired: { version: ['format'] } }),
  },
  {
    change: 'an operation is no longer deprecated',
    level: 'not breaking',
    ids: ['no-longer-deprecated'],
    prepare: document => Object.assign(agentJob(document), { deprecated: true }),
    mutate: mutant => delete agentJob(mutant).deprecated,
  },
  {
    change: 'an operation needs no plan any more',
    level: 'not breaking',
    ids: ['plan-no-longer-required'],
    mutate: mutant => delete start(mutant)['x-required-plan'],
  },
  {
    change: 'an extension of a tool is added',
    level: 'documentation',
    ids: ['extension-changed'],
    mutate: mutant => Object.assign(agentJob(mutant), { 'x-internal': true }),
  },
]
