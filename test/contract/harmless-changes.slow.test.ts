import { join } from 'node:path'
import { expect, test } from 'vitest'
import {
  agentJob,
  released as document,
  type Node,
  parameter,
  property,
  schema,
  start,
  visitors,
} from '../scripts/spec-diff/mutations.ts'
import { openHandlersCompiler } from './compile-handlers.ts'

const handlers = openHandlersCompiler()
const client = openHandlersCompiler(join(import.meta.dirname, '../../spec/package/client/index.ts'))

const changes: { change: string; mutate: (mutant: Node) => void }[] = [
  {
    change: 'an optional query parameter is added',
    mutate: mutant => visitors(mutant).parameters.push({ name: 'q', in: 'query', schema: { type: 'string' } }),
  },
  {
    change: 'an optional header of the request is added',
    mutate: mutant => agentJob(mutant).parameters.push({ name: 'Q', in: 'header', schema: { type: 'string' } }),
  },
  {
    change: 'an optional field of a request is added',
    mutate: mutant => Object.assign(schema(mutant, 'StartExport').properties, { label: { type: 'string' } }),
  },
  {
    change: 'an optional field of an answer is added',
    mutate: mutant => Object.assign(schema(mutant, 'ExportJob').properties, { label: { type: 'string' } }),
  },
  {
    change: 'an optional header of an answer is added',
    mutate: mutant =>
      Object.assign(start(mutant).responses['202'].headers, { 'X-Queue': { schema: { type: 'integer' } } }),
  },
  {
    change: 'the status of an error is added',
    mutate: mutant => {
      const { responses } = agentJob(mutant)
      responses['429'] = responses['404']
    },
  },
  {
    change: 'the maximum of a parameter is raised',
    mutate: mutant => Object.assign(parameter(mutant, 'Limit').schema, { maximum: 500 }),
  },
  {
    change: 'a description changes',
    mutate: mutant => Object.assign(property(mutant, 'ExportJob', 'status'), { description: 'The state.' }),
  },
]

test.each(changes)('the handlers and the client compile unchanged when $change', async ({ mutate }) => {
  const mutant = structuredClone(document)
  mutate(mutant)
  expect(mutant).not.toEqual(document)
  expect(await handlers.findErrors(mutant)).toEqual({})
  expect(await client.findErrors(mutant)).toEqual({})
})

test('the same compilers find what breaks', async () => {
  const mutant = structuredClone(document)
  mutant.paths['/v2/agent/{projectId}/job/{id}'].get.operationId = 'findAgentJob'
  expect(Object.keys(await handlers.findErrors(mutant))).toContain('getAgentJob.ts')
  expect(Object.keys(await client.findErrors(mutant))).toContain('wait-for.ts')
})
