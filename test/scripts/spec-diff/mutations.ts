import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ChangeId, Level } from '../../../scripts/spec-diff/rules.ts'

/** An edit of the document, and how it must be judged. */
export interface Mutation {
  change: string
  level: Level
  /** Every change that must be found, and no other. */
  ids: ChangeId[]
  /** Changes both documents first, where the contract has nothing of the kind. */
  prepare?(document: Node): void
  mutate(mutant: Node): void
}

/** Any object of the document. */
// biome-ignore lint/suspicious/noExplicitAny: mutations go deep into a document whose types would hide what they do
export type Node = any

export const released: Node = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../../generated/openapi.json'), 'utf8'),
)

export const schema = (mutant: Node, name: string): Node => found(mutant.components.schemas[name], name)
export const property = (mutant: Node, name: string, field: string): Node =>
  found(schema(mutant, name).properties[field], field)
export const parameter = (mutant: Node, name: string): Node => found(mutant.components.parameters[name], name)
export const visitors = (mutant: Node): Node =>
  found(mutant.paths['/v1/analytics/{projectId}/visitors'], 'visitors').get
export const start = (mutant: Node): Node => found(mutant.paths['/v1/static-export/jobs'], 'jobs').post
export const agentJob = (mutant: Node): Node => found(mutant.paths['/v2/agent/{projectId}/job/{id}'], 'agent job').get

/** Fails if a mutation finds nothing to change. */
function found(part: Node, name: string): Node {
  if (part === undefined) throw new Error(`The document has no ${name} any more; follow it in this test.`)
  return part
}
