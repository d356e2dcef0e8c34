import type { Input, OperationId } from '../../generated/operations.ts'

/** Functions that return the ETag that a 200 has now; undefined if the answer is another one. */
export type FindETags<Deps, Caller> = {
  [Id in OperationId]?: (input: Input<Id>, deps: Deps, caller: Caller) => Promise<string | undefined>
}
