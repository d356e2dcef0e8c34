import { agentJob, type Mutation, property, schema, start, visitors } from './mutations.ts'

/** Edits of what clients receive. */
export const responseMutations: Mutation[] = [
  {
    change: 'an enum value of an answer is added',
    level: 'breaking',
    ids: ['response-enum-value-added'],
    mutate: mutant => property(mutant, 'ExportJob', 'status').enum.push('paused'),
  },
  {
    change: 'an enum value of an answer is removed',
    level: 'not breaking',
    ids: ['response-enum-value-removed'],
    mutate: mutant => property(mutant, 'ExportJob', 'status').enum.shift(),
  },
  {
    change: 'a type of an answer is widened',
    level: 'breaking',
    ids: ['response-type-widened'],
    mutate: mutant => Object.assign(property(mutant, 'ExportJob', 'pageCount'), { type: 'number' }),
  },
  {
    change: 'a type of an answer is narrowed',
    level: 'not breaking',
    ids: ['response-type-narrowed'],
    mutate: mutant => Object.assign(property(mutant, 'ExportJob', 'progress'), { type: 'integer' }),
  },
  {
    change: 'a field of an answer may be null',
    level: 'breaking',
    ids: ['response-null-allowed'],
    mutate: mutant => Object.assign(property(mutant, 'AgentJob', 'model'), { type: ['string', 'null'] }),
  },
  {
    change: 'a field of an answer is no longer null',
    level: 'not breaking',
    ids: ['response-null-refused'],
    mutate: mutant => Object.assign(property(mutant, 'AgentJob', 'prLink'), { type: 'string' }),
  },
  {
    change: 'a field of an answer is removed',
    level: 'breaking',
    ids: ['response-property-removed'],
    mutate: mutant => {
      delete schema(mutant, 'AgentJob').properties.model
      schema(mutant, 'AgentJob').required = schema(mutant, 'AgentJob').required.filter(
        (name: string) => name !== 'model',
      )
    },
  },
  {
    change: 'a required field of an answer is added',
    level: 'not breaking',
    ids: ['response-property-added-required'],
    mutate: mutant => {
      Object.assign(schema(mutant, 'ExportBundle').properties, { fileName: { type: 'string' } })
      schema(mutant, 'ExportBundle').required.push('fileName')
    },
  },
  {
    change: 'a field of an answer becomes optional',
    level: 'breaking',
    ids: ['response-property-optional'],
    mutate: mutant => schema(mutant, 'ExportJob').required.pop(),
  },
  {
    change: 'the maximum of an answer is raised',
    level: 'breaking',
    ids: ['response-limit-loosened'],
    mutate: mutant => Object.assign(property(mutant, 'UniqueVisitors', 'visitors'), { maxItems: 500 }),
  },
  {
    change: 'the pattern of an answer changes',
    level: 'breaking',
    ids: ['response-pattern-changed'],
    mutate: mutant => Object.assign(property(mutant, 'ExportBundle', 'sha256'), { pattern: '^[0-9A-F]{64}$' }),
  },
  {
    change: 'the format of an answer is removed',
    level: 'breaking',
    ids: ['response-format-removed'],
    mutate: mutant => delete property(mutant, 'ExportBundle', 'expiresAt').format,
  },
  {
    change: 'an answer object is opened',
    level: 'not breaking',
    ids: ['response-object-opened'],
    mutate: mutant => delete schema(mutant, 'AgentJob').additionalProperties,
  },
  {
    change: 'a header of an answer is removed',
    level: 'breaking',
    ids: ['response-header-removed'],
    mutate: mutant => delete start(mutant).responses['202'].headers.Location,
  },
  {
    change: 'a header of an answer is added',
    level: 'not breaking',
    ids: ['response-header-added'],
    mutate: mutant =>
      Object.assign(start(mutant).responses['202'].headers, { 'Retry-After': { schema: { type: 'integer' } } }),
  },
  {
    change: 'a header is no longer in every answer',
    level: 'breaking',
    ids: ['response-header-optional'],
    mutate: mutant => delete mutant.components.headers.JobLocation.required,
  },
  {
    change: 'the status of a success is removed',
    level: 'breaking',
    ids: ['success-status-removed', 'success-status-added'],
    mutate: mutant => {
      const { 202: accepted, ...others } = start(mutant).responses
      start(mutant).responses = { 201: accepted, ...others }
    },
  },
  {
    change: 'the status of an error is removed',
    level: 'not breaking',
    ids: ['error-status-removed'],
    mutate: mutant => delete start(mutant).responses['413'],
  },
  {
    change: 'the status of an error is added',
    level: 'not breaking',
    ids: ['error-status-added'],
    mutate: mutant => Object.assign(agentJob(mutant).responses, { 429: { description: 'Too many.' } }),
  },
  {
    change: 'a redirect is added',
    level: 'breaking',
    ids: ['redirect-added'],
    mutate: mutant => Object.assign(agentJob(mutant).responses, { 302: { description: 'Elsewhere.' } }),
  },
  {
    change: 'a 304 is added',
    level: 'not breaking',
    ids: ['not-modified-added'],
    mutate: mutant => Object.assign(agentJob(mutant).responses, { 304: { description: 'Not modified.' } }),
  },
  {
    change: 'a media type of an answer is removed',
    level: 'breaking',
    ids: ['response-media-type-removed'],
    mutate: mutant => delete visitors(mutant).responses['200'].content['text/csv'],
  },
  {
    change: 'the error body of all answers changes',
    level: 'breaking',
    ids: ['response-type-changed'],
    mutate: mutant => Object.assign(property(mutant, 'ApiError', 'error'), { type: 'object' }),
  },
  {
    change: 'a media type of an answer is added',
    level: 'not breaking',
    ids: ['response-media-type-added'],
    mutate: mutant => Object.assign(agentJob(mutant).responses['200'].content, { 'text/plain': {} }),
  },
  {
    change: 'a header is in every answer',
    level: 'not breaking',
    ids: ['response-header-required'],
    mutate: mutant => Object.assign(mutant.components.headers.IdempotencyReplayed, { required: true }),
  },
  {
    change: 'a link is removed',
    level: 'documentation',
    ids: ['link-changed'],
    mutate: mutant => delete start(mutant).responses['202'].links,
  },
]
