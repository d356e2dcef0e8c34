import type { operations } from '../../../generated/openapi.ts'

export type OperationId = keyof operations

/** An operation as the generated table lists it: method, path and documented statuses. */
export type Call = readonly [
  method: 'get' | 'put' | 'post' | 'delete' | 'patch',
  path: string,
  statuses: readonly number[],
]

/** How the body of a successful answer is read; `stream` hands it out while it arrives. */
export type ParseAs = 'json' | 'text' | 'stream' | 'blob' | 'arrayBuffer'

/** What the generated types say of an operation of any document. */
export interface Described {
  parameters: unknown
  responses: object
}

/** A method of the client. Operations that answer another media type than JSON too have the option `parseAs`. */
export type Method<Op extends Described> = HasOnlyJson<Op> extends true ? JsonMethod<Op> : AnyMethod<Op>

type JsonMethod<Op extends Described> = (...options: Optional<RequestOptions<Op>>) => Promise<ResultOf<Op>>

interface AnyMethod<Op extends Described> {
  <As extends Exclude<ParseAs, 'json'>>(options: RequestOptions<Op> & { parseAs: As }): Promise<ResultOf<Op, As>>
  (...options: Optional<RequestOptions<Op> & { parseAs?: 'json' }>): Promise<ResultOf<Op>>
}

/** What a request of the operation has: its parameters and its body. */
export type RequestOptions<Op extends Described> = ParamsOption<Op['parameters']> &
  BodyOption<Op> & {
    /** More headers, such as `Accept`. */
    headers?: Record<string, string>
    /** Ends the request, and all attempts at it. */
    signal?: AbortSignal | undefined
  }

/** A type with no required fields extends it. */
type Nothing = Record<never, never>

type ParamsOption<Parameters> = Nothing extends Parameters ? { params?: Parameters } : { params: Parameters }

type BodyOption<Operation> = Operation extends { requestBody: { content: { 'application/json': infer Body } } }
  ? { body: Body }
  : Operation extends { requestBody: object }
    ? { body: RawBody }
    : Operation extends { requestBody?: { content: { 'application/json': infer Body } } }
      ? { body?: Body }
      : Nothing

/** A body that is sent as it is. For packed bytes, add the header `Content-Encoding`. */
export type RawBody = string | Blob | ArrayBuffer | Uint8Array

type Optional<Options> = Nothing extends Options ? [options?: Options] : [options: Options]

/** The answer of an operation: one of those that the document lists. Its `status` decides which fields it has. */
export type ResultOf<Op extends Described, As extends ParseAs = 'json'> = {
  [Status in keyof Op['responses']]: Answer<Status, Op['responses'][Status], As>
}[keyof Op['responses']]

type Answer<Status, Given, As extends ParseAs> = Given extends { content: { 'application/json': infer Body } }
  ? IsSuccess<Status> extends true
    ? Success<Status, As extends 'json' ? Body : Read[Exclude<As, 'json'>]>
    : Refusal<Status, Body>
  : Empty<Status>

interface Read {
  text: string
  stream: Response['body']
  blob: Blob
  arrayBuffer: ArrayBuffer
}

interface Answered<Status> {
  status: Status
  /** Identifies the request in the log of the server. */
  requestId: string | undefined
  response: Response
}

export interface Success<Status, Data> extends Answered<Status> {
  data: Data
  error?: never
}

export interface Refusal<Status, Body> extends Answered<Status> {
  data?: never
  /** The body of the answer. */
  error: Body
}

/** An answer without a body, such as 304. */
export interface Empty<Status> extends Answered<Status> {
  data?: never
  error?: never
}

/** The data of the successful answer of an operation. */
export type Data<Id extends OperationId> = DataOf<Result<Id>>

/** The data of a successful answer. */
export type DataOf<Answer> = Extract<Answer, Success<unknown, unknown>>['data']

/** The answer of an operation of the administration API. */
export type Result<Id extends OperationId, As extends ParseAs = 'json'> = ResultOf<operations[Id], As>

type IsSuccess<Status> = Status extends number ? (`${Status}` extends `2${string}` ? true : false) : false

type HasOnlyJson<Op extends Described> = [OtherMedia<Op['responses']>] extends [never] ? true : false

type OtherMedia<Responses> = {
  [Status in keyof Responses]: Responses[Status] extends { content: infer Content }
    ? Exclude<keyof Content, 'application/json' | 'application/problem+json'>
    : never
}[keyof Responses]
