// The API of openapi-backend used by the benchmark. The package and its types are installed by `npm run bench`.
declare module 'openapi-backend' {
  import type { IncomingHttpHeaders, ServerResponse } from 'node:http'

  export interface Context {
    request: { params: Record<string, string>; headers: Record<string, string | undefined> }
    security: Record<string, unknown>
  }

  export class OpenAPIBackend {
    constructor(options: {
      definition: object
      validate: boolean
      strict: boolean
      quick: boolean
      securityHandlers: Record<string, (context: Context) => unknown>
      handlers: Record<string, (context: Context, res: ServerResponse) => void | Promise<void>>
    })
    init(): Promise<this>
    handleRequest(
      request: { method: string; path: string; headers: IncomingHttpHeaders },
      res: ServerResponse,
    ): Promise<void>
  }
}
