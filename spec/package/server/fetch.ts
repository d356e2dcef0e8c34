// The server side for frameworks with the Request and Response of the Fetch API.

export {
  createFetchHandler,
  type FetchAdmission,
  type FetchHandlerOptions,
} from '../../../server/http/fetch-handler.ts'
export type { FindETags } from '../../../server/http/given-operations.ts'
export { HttpError } from '../../../server/http/http-error.ts'
