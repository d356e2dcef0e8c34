import { type Dialect, send } from './dialect.ts'

interface MessagesRequest {
  model: string
  stream?: boolean
  tools?: { name: string; input_schema?: { properties?: object } }[]
  messages: { content: string | { type: string }[] }[]
}

/** The Messages API of Anthropic (https://docs.anthropic.com/en/api/messages-streaming). */
export const anthropic: Dialect = {
  path: /^\/v1\/messages(?:\?.*)?$/,
  read(body) {
    const { model, stream, tools = [], messages }: MessagesRequest = JSON.parse(body)
    const parts = messages.flatMap(({ content }) => (typeof content === 'string' ? [] : content))
    return {
      ...{ model, isStream: stream === true, results: parts.filter(({ type }) => type === 'tool_result').length },
      tools: tools.map(({ name, input_schema }) => ({ name, parameters: Object.keys(input_schema?.properties ?? {}) })),
    }
  },
  answer(response, { model, isStream, results }, step) {
    const isText = 'text' in step
    const stop_reason = isText ? 'end_turn' : 'tool_use'
    const tool = isText ? undefined : { type: 'tool_use', id: `toolu_${results}`, name: step.name }
    const usage = { input_tokens: 100, output_tokens: 10 }
    const message = { id: `msg_${results}`, type: 'message', role: 'assistant', model, stop_sequence: null, usage }
    const block = isText ? { type: 'text', text: step.text } : { ...tool, input: step.args }
    if (!isStream) return send(response, { ...message, content: [block], stop_reason })
    const emptyBlock = isText ? { type: 'text', text: '' } : { ...tool, input: {} }
    const delta = isText
      ? { type: 'text_delta', text: step.text }
      : { type: 'input_json_delta', partial_json: JSON.stringify(step.args) }
    send(response, {
      events: [
        { type: 'message_start', message: { ...message, content: [], stop_reason: null } },
        { type: 'content_block_start', index: 0, content_block: emptyBlock },
        { type: 'content_block_delta', index: 0, delta },
        { type: 'content_block_stop', index: 0 },
        { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 10 } },
        { type: 'message_stop' },
      ],
    })
  },
}
