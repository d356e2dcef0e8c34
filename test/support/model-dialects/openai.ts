import { type Dialect, send } from './dialect.ts'

interface ChatRequest {
  model: string
  stream?: boolean
  tools?: { function: { name: string; parameters?: { properties?: object } } }[]
  messages: { role: string }[]
}

/** The chat completions of OpenAI, which many endpoints speak. */
export const openai: Dialect = {
  path: /^\/v1\/chat\/completions$/,
  read(body) {
    const { model, stream, tools = [], messages }: ChatRequest = JSON.parse(body)
    return {
      ...{ model, isStream: stream === true, results: messages.filter(({ role }) => role === 'tool').length },
      tools: tools.map(({ function: { name, parameters } }) => ({
        name,
        parameters: Object.keys(parameters?.properties ?? {}),
      })),
    }
  },
  answer(response, { model, isStream, results }, step) {
    const usage = { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 }
    const reason = 'text' in step ? 'stop' : 'tool_calls'
    const call = 'text' in step ? undefined : { name: step.name, arguments: JSON.stringify(step.args) }
    const tool_calls = call && [{ index: 0, id: `call_${results}`, type: 'function', function: call }]
    const message = { role: 'assistant', content: 'text' in step ? step.text : null, ...(tool_calls && { tool_calls }) }
    const base = { id: `chat-${results}`, created: 0, model }
    if (!isStream) {
      const choices = [{ index: 0, message, finish_reason: reason }]
      return send(response, { ...base, object: 'chat.completion', choices, usage })
    }
    const part = (fields: object) => ({ ...base, object: 'chat.completion.chunk', ...fields })
    const begin = part({ choices: [{ index: 0, delta: message, finish_reason: null }] })
    const end = part({ choices: [{ index: 0, delta: {}, finish_reason: reason }] })
    send(response, { events: [begin, end, part({ choices: [], usage }), '[DONE]'] })
  },
}
