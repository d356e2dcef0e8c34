import { shorten } from '../../base/shorten.ts'
import { maxEventCharacters, type NewAgentEvent } from '../agent-event.ts'
import { RunError } from '../run-end.ts'

/** Agents send a message in parts of a few words. They become one event when this many characters have come, or after a pause. */
const mergedCharacters = 2048
const mergePauseMs = 400
/** Tools whose title is known for later messages about them. */
const maxTools = 500

export interface AgentUsage {
  inputTokens: number | null
  outputTokens: number | null
  cost: { amount: number; currency: string } | null
}

export interface AgentEvents {
  /** Takes the `update` of a message `session/update`, which nobody has checked. */
  take(update: unknown): void
  add(event: NewAgentEvent): void
  /** Counts something that makes no event. */
  count(): void
  flush(): void
  /** Takes the usage of an answer to a prompt, if the agent tells it. */
  addUsage(usage: unknown): void
  usage: AgentUsage
}

type Fields = Record<string, unknown>

/** Makes events of what the agent tells, at most `maxEvents`. */
export function createAgentEvents(
  maxEvents: number,
  onEvent: (event: NewAgentEvent) => void,
  onExceeded: (error: RunError) => void,
): AgentEvents {
  const usage: AgentUsage = { inputTokens: null, outputTokens: null, cost: null }
  let events = 0

  const count = () => {
    if (events === maxEvents)
      onExceeded(new RunError('resource_limit', `The agent made more than ${maxEvents} events.`))
    return ++events <= maxEvents
  }
  const send = (event: NewAgentEvent) => {
    if (count()) onEvent({ ...event, text: shorten(event.text, maxEventCharacters) })
  }
  const { merge, flush } = mergeParts(send)
  const add = (event: NewAgentEvent) => {
    flush()
    send(event)
  }
  const readTool = createToolReader()
  const take = (given: unknown) => {
    const update = toFields(given)
    if (update.sessionUpdate === 'agent_message_chunk') merge('message', readContent(update.content))
    else if (update.sessionUpdate === 'agent_thought_chunk') merge('thought', readContent(update.content))
    else if (update.sessionUpdate === 'plan') add({ kind: 'plan', text: describePlan(update.entries) })
    else if (update.sessionUpdate === 'usage_update') usage.cost = readCost(update.cost) ?? usage.cost
    const tool = readTool(update)
    if (tool) add(tool)
  }
  const addUsage = (given: unknown) => {
    const { inputTokens, outputTokens, input_tokens, output_tokens } = toFields(given)
    usage.inputTokens = sum(usage.inputTokens, inputTokens ?? input_tokens)
    usage.outputTokens = sum(usage.outputTokens, outputTokens ?? output_tokens)
  }
  return { take, add, count, flush, addUsage, usage }
}

/** Joins the parts of a message or a thought; see `mergedCharacters`. */
function mergeParts(send: (event: NewAgentEvent) => void) {
  let begun: { kind: 'message' | 'thought'; text: string } | undefined
  let timer: NodeJS.Timeout | undefined
  const flush = () => {
    clearTimeout(timer)
    const event = begun
    begun = undefined
    if (event && event.text.trim() !== '') send(event)
  }
  const merge = (kind: 'message' | 'thought', text: string) => {
    if (begun?.kind !== kind) flush()
    begun ??= { kind, text: '' }
    begun.text += text
    if (begun.text.length >= mergedCharacters) return flush()
    clearTimeout(timer)
    timer = setTimeout(flush, mergePauseMs)
    timer.unref()
  }
  return { merge, flush }
}

/** Returns a function that makes an event of the start or the end of a tool. Only the start tells the title. */
function createToolReader(): (update: Fields) => NewAgentEvent | undefined {
  const titles = new Map<string, string>()
  return ({ toolCallId, title, status, sessionUpdate }) => {
    if (sessionUpdate !== 'tool_call' && sessionUpdate !== 'tool_call_update') return
    const id = toText(toolCallId)
    if (title !== undefined && title !== null && titles.size < maxTools)
      titles.set(id, shorten(toText(title), maxEventCharacters))
    const isEnd = status === 'completed' || status === 'failed'
    if (sessionUpdate === 'tool_call_update' && !isEnd) return
    const text = titles.get(id) ?? 'tool'
    if (isEnd) titles.delete(id)
    return { kind: 'tool', text, outcome: isEnd ? status : 'started' }
  }
}

function describePlan(entries: unknown): string {
  const list: unknown[] = Array.isArray(entries) ? entries.slice(0, 100) : []
  return list
    .map(toFields)
    .map(({ content, status }) => `[${status === 'completed' ? 'x' : ' '}] ${toText(content)}`)
    .join('\n')
}

function readContent(content: unknown): string {
  const { type, text } = toFields(content)
  return type === 'text' ? toText(text).slice(0, maxEventCharacters) : ''
}

function readCost(cost: unknown): AgentUsage['cost'] {
  const { amount, currency } = toFields(cost)
  const isCost =
    typeof amount === 'number' && amount >= 0 && typeof currency === 'string' && /^[A-Z]{3}$/.test(currency)
  return isCost ? { amount, currency } : null
}

function sum(known: number | null, more: unknown): number | null {
  return typeof more === 'number' && Number.isSafeInteger(more) && more >= 0 ? (known ?? 0) + more : known
}

export const toText = (value: unknown): string => (typeof value === 'string' ? value : '')
export const toFields = (value: unknown): Fields =>
  typeof value === 'object' && value !== null ? (value as Fields) : {}
