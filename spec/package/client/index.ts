// The client for browsers and Node. It imports no module of Node; node.ts has what needs files.
export type { QuireClient } from '../../../generated/client.ts'
export type { components, operations, paths } from '../../../generated/openapi.ts'
export { type ClientOptions, createClient } from './client.ts'
export { type EachVisitorOptions, eachVisitor } from './each-visitor.ts'
export { QuireError } from './error.ts'
export type { Data, Method, OperationId, ParseAs, RequestOptions, Result } from './method.ts'
export type { RetryOptions } from './retry.ts'
export { type WaitOptions, waitForAgentJob, waitForExport } from './wait-for.ts'
