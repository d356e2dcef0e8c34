import { request } from 'node:http'
import { type RunningProgram, startProgram } from '../support/program.ts'

export interface RunningMock extends RunningProgram {
  url: string
}

/** Starts the mock on a free port. */
export async function startMock(): Promise<RunningMock> {
  const program = startProgram(['mock/main.ts', '--port', '0', '--quiet'])
  const url = await program.read(output => /Listening on (\S+)/.exec(output)?.[1])
  return Object.assign(program, { url })
}

/** Sends a request to the mock. Returns the status and the JSON body. */
export function sendToMock(
  url: string,
  method: string,
  path: string,
  headers: Record<string, string> = {},
  body = '',
): Promise<{ status: number; body: unknown }> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, path, headers: { Authorization: 'Bearer any', ...headers }, timeout: 5000 })
    sent.on('timeout', () => sent.destroy(new Error('no answer within 5 seconds')))
    sent.on('error', reject)
    sent.on('response', async response => {
      const chunks: Buffer[] = []
      for await (const chunk of response) chunks.push(chunk)
      const text = Buffer.concat(chunks).toString()
      resolve({ status: response.statusCode ?? 0, body: text === '' ? undefined : JSON.parse(text) })
    })
    sent.end(body)
  })
}
