import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'
import { anthropic } from './model-dialects/anthropic.ts'
import type { Asked, Step } from './model-dialects/dialect.ts'
import { gemini } from './model-dialects/gemini.ts'
import { openai } from './model-dialects/openai.ts'

/** Names of tools and of their parameters in different agents. */
const tools = { read: ['read', 'read_file', 'Read'], edit: ['edit', 'replace', 'Edit'] }
const parameters: Record<string, readonly string[]> = {
  file: ['filePath', 'file_path', 'absolute_path', 'path'],
  old: ['oldString', 'old_string'],
  new: ['newString', 'new_string'],
  why: ['instruction'],
}

/**
 * Starts an endpoint of a model that has an agent read a page, replace a word in it, and say that it did. It knows by the number of
 * results of tools in a request which step comes next. `keys` are the headers with a key that it got, and `models` the asked ones.
 */
export async function startScriptedModel(change: { file: string; old: string; new: string }) {
  const [keys, models] = [new Set<string>(), new Set<string>()]
  const server = createServer(async (request, response) => {
    // An agent that is ended breaks its requests off.
    const body = await text(request).catch(() => undefined)
    if (body === undefined) return
    const path = request.url ?? ''
    const dialect = [openai, gemini, anthropic].find(dialect => dialect.path.test(path))
    if (!dialect) return void response.writeHead(404).end('{}')
    for (const name of ['authorization', 'x-api-key', 'x-goog-api-key'])
      if (request.headers[name] !== undefined) keys.add(`${name}: ${request.headers[name]}`)
    const asked = dialect.read(body, path)
    models.add(asked.model)
    dialect.answer(response, asked, chooseStep(asked, { ...change, why: 'Fix the typo.' }))
  })
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, keys, models }
}

function chooseStep({ tools: offered, results }: Asked, change: Record<string, string>): Step {
  // Such as the request for a title.
  if (offered.length === 0) return { text: 'A title' }
  const call = (names: readonly string[], wanted: readonly string[]): Step => {
    const tool = offered.find(({ name }) => names.includes(name))
    const named = wanted.map(name => [parameters[name]?.find(alias => tool?.parameters.includes(alias)), change[name]])
    return { name: tool?.name ?? 'none', args: Object.fromEntries(named.filter(([name]) => name !== undefined)) }
  }
  if (results === 0) return call(tools.read, ['file'])
  return results === 1 ? call(tools.edit, ['file', 'old', 'new', 'why']) : { text: 'I changed the page.' }
}
