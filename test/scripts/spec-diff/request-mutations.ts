import { agentJob, type Mutation, parameter, property, schema, start, visitors } from './mutations.ts'

/** Edits of what clients send. */
export const requestMutations: Mutation[] = [
  {
    change: 'a required query parameter is added',
    level: 'breaking',
    ids: ['parameter-added-required'],
    mutate: mutant =>
      visitors(mutant).parameters.push({ name: 'site', in: 'query', required: true, schema: { type: 'string' } }),
  },
  {
    change: 'an optional query parameter is added',
    level: 'not breaking',
    ids: ['parameter-added'],
    mutate: mutant => visitors(mutant).parameters.push({ name: 'site', in: 'query', schema: { type: 'string' } }),
  },
  {
    change: 'a query parameter is removed',
    level: 'breaking',
    ids: ['parameter-removed'],
    mutate: mutant => visitors(mutant).parameters.splice(1, 1),
  },
  {
    change: 'a query parameter is renamed',
    level: 'breaking',
    ids: ['parameter-removed', 'parameter-added'],
    mutate: mutant => Object.assign(parameter(mutant, 'DateFrom'), { name: 'from' }),
  },
  {
    change: 'a query parameter becomes required',
    level: 'breaking',
    ids: ['parameter-required'],
    mutate: mutant => Object.assign(parameter(mutant, 'DateFrom'), { required: true }),
  },
  {
    change: 'a header of the request gets other capitals',
    level: 'not breaking',
    ids: [],
    mutate: mutant => Object.assign(parameter(mutant, 'IdempotencyKey'), { name: 'idempotency-key' }),
  },
  {
    change: 'the maximum of a parameter is lowered',
    level: 'breaking',
    ids: ['request-limit-tightened'],
    mutate: mutant => Object.assign(parameter(mutant, 'Limit').schema, { maximum: 100 }),
  },
  {
    change: 'the maximum of a parameter is raised',
    level: 'not breaking',
    ids: ['request-limit-loosened'],
    mutate: mutant => Object.assign(parameter(mutant, 'Limit').schema, { maximum: 500 }),
  },
  {
    change: 'the default of a parameter changes',
    level: 'breaking',
    ids: ['request-default-changed'],
    mutate: mutant => Object.assign(parameter(mutant, 'Limit').schema, { default: 100 }),
  },
  {
    change: 'a parameter is encoded in another way',
    level: 'breaking',
    ids: ['parameter-style-changed'],
    mutate: mutant => Object.assign(parameter(mutant, 'DateFrom'), { explode: false }),
  },
  {
    change: 'a path parameter is renamed, in the path too',
    level: 'breaking',
    ids: ['path-parameter-renamed'],
    mutate: mutant => {
      const { '/v2/agent/{projectId}/job/{id}': item, ...others } = mutant.paths
      mutant.paths = { '/v2/agent/{projectId}/job/{jobId}': item, ...others }
      Object.assign(parameter(mutant, 'AgentJobId'), { name: 'jobId' })
    },
  },
  {
    change: 'a pattern of the request changes',
    level: 'breaking',
    ids: ['request-pattern-changed'],
    mutate: mutant => Object.assign(property(mutant, 'StartExport', 'version'), { pattern: '^[a-z]+$' }),
  },
  {
    change: 'a pattern of the request is removed',
    level: 'not breaking',
    ids: ['request-pattern-removed'],
    mutate: mutant => delete property(mutant, 'StartExport', 'version').pattern,
  },
  {
    change: 'an enum value of the request is removed',
    level: 'breaking',
    ids: ['request-enum-value-removed'],
    mutate: mutant => property(mutant, 'StartExport', 'format').enum.pop(),
  },
  {
    change: 'an enum value of the request is added',
    level: 'not breaking',
    ids: ['request-enum-value-added'],
    mutate: mutant => property(mutant, 'StartExport', 'format').enum.push('tar.zst'),
  },
  {
    change: 'a type of the request is narrowed',
    level: 'breaking',
    ids: ['request-type-narrowed'],
    prepare: document => Object.assign(parameter(document, 'Offset').schema, { type: 'number' }),
    mutate: mutant => Object.assign(parameter(mutant, 'Offset').schema, { type: 'integer' }),
  },
  {
    change: 'a type of the request is widened',
    level: 'not breaking',
    ids: ['request-type-widened'],
    mutate: mutant => Object.assign(parameter(mutant, 'Offset').schema, { type: 'number' }),
  },
  {
    change: 'a field of the request may no longer be null',
    level: 'breaking',
    ids: ['request-null-refused'],
    prepare: document => Object.assign(property(document, 'StartExport', 'version'), { type: ['string', 'null'] }),
    mutate: mutant => Object.assign(property(mutant, 'StartExport', 'version'), { type: 'string' }),
  },
  {
    change: 'a field of the request may be null',
    level: 'not breaking',
    ids: ['request-null-allowed'],
    mutate: mutant => Object.assign(property(mutant, 'StartExport', 'version'), { type: ['string', 'null'] }),
  },
  {
    change: 'an optional field of the request is added',
    level: 'not breaking',
    ids: ['request-property-added'],
    mutate: mutant => Object.assign(schema(mutant, 'StartExport').properties, { label: { type: 'string' } }),
  },
  {
    change: 'a required field of the request is added',
    level: 'breaking',
    ids: ['request-property-added-required'],
    mutate: mutant => {
      Object.assign(schema(mutant, 'StartExport').properties, { label: { type: 'string' } })
      schema(mutant, 'StartExport').required.push('label')
    },
  },
  {
    change: 'a field of the request becomes required',
    level: 'breaking',
    ids: ['request-property-required'],
    mutate: mutant => schema(mutant, 'StartExport').required.push('version'),
  },
  {
    change: 'a field of the request becomes optional',
    level: 'not breaking',
    ids: ['request-property-optional'],
    mutate: mutant => schema(mutant, 'StartExport').required.pop(),
  },
  {
    change: 'a field of the request is removed',
    level: 'breaking',
    ids: ['request-property-removed'],
    mutate: mutant => delete schema(mutant, 'StartExport').properties.verify,
  },
  {
    change: 'a nested field of the request gets another type',
    level: 'breaking',
    ids: ['request-type-changed'],
    mutate: mutant => Object.assign(property(mutant, 'ExportFeatures', 'search'), { type: 'string' }),
  },
  {
    change: 'a list of the request gets shorter items',
    level: 'breaking',
    ids: ['request-limit-tightened'],
    mutate: mutant => Object.assign(property(mutant, 'StartExport', 'paths').items, { maxLength: 1024 }),
  },
  {
    change: 'a request object is opened',
    level: 'not breaking',
    ids: ['request-object-opened'],
    mutate: mutant => Object.assign(schema(mutant, 'StartExport'), { additionalProperties: true }),
  },
  {
    change: 'a request object is closed',
    level: 'breaking',
    ids: ['request-object-closed'],
    prepare: document => delete schema(document, 'StartExport').additionalProperties,
    mutate: mutant => Object.assign(schema(mutant, 'StartExport'), { additionalProperties: false }),
  },
  {
    change: 'the body of the request becomes optional',
    level: 'not breaking',
    ids: ['request-body-optional'],
    mutate: mutant => Object.assign(start(mutant).requestBody, { required: false }),
  },
  {
    change: 'a request without a body gets a required one',
    level: 'breaking',
    ids: ['request-body-added-required'],
    mutate: mutant => Object.assign(agentJob(mutant), { requestBody: { required: true, content: {} } }),
  },
  {
    change: 'a media type of the request is replaced',
    level: 'breaking',
    ids: ['request-media-type-removed', 'request-media-type-added'],
    mutate: mutant => {
      const { requestBody } = start(mutant)
      requestBody.content = { 'application/merge-patch+json': requestBody.content['application/json'] }
    },
  },
  {
    change: 'a path parameter becomes optional',
    level: 'not breaking',
    ids: ['parameter-optional'],
    mutate: mutant => delete parameter(mutant, 'AgentJobId').required,
  },
  {
    change: 'a request has no body any more',
    level: 'breaking',
    ids: ['request-body-removed'],
    mutate: mutant => delete start(mutant).requestBody,
  },
  {
    change: 'a request can have a body',
    level: 'not breaking',
    ids: ['request-body-added'],
    mutate: mutant => Object.assign(agentJob(mutant), { requestBody: { content: {} } }),
  },
  {
    change: 'the body of the request becomes required',
    level: 'breaking',
    ids: ['request-body-required'],
    prepare: document => delete start(document).requestBody.required,
    mutate: mutant => Object.assign(start(mutant).requestBody, { required: true }),
  },
]
