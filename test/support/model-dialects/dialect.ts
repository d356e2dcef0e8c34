import type { ServerResponse } from 'node:http'

/** The parts of a request to a model that the script needs. */
export interface Asked {
  model: string
  isStream: boolean
  tools: { name: string; parameters: string[] }[]
  /** How many results of tools the request has. */
  results: number
}

export type Step = { text: string } | { name: string; args: Record<string, string> }

/** An API that agents speak with their model. */
export interface Dialect {
  /** Of the request, with its query. */
  path: RegExp
  read(body: string, path: string): Asked
  answer(response: ServerResponse, asked: Asked, step: Step): void
}

/** Ends an answer with one JSON text, or with a stream of events. An event with a name has it in its field `type`. */
export function send(response: ServerResponse, content: object | { events: (object | string)[] }): void {
  const isStream = 'events' in content
  response.writeHead(200, { 'content-type': isStream ? 'text/event-stream' : 'application/json' })
  if (!isStream) return void response.end(JSON.stringify(content))
  for (const event of content.events) {
    const name = typeof event === 'object' && 'type' in event ? `event: ${event.type}\n` : ''
    response.write(`${name}data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`)
  }
  response.end()
}
