import type { AnyMessage } from '@agentclientprotocol/sdk'
import { shorten } from '../../base/shorten.ts'
import { RunError } from '../run-end.ts'
import { type AgentEvents, toFields } from './agent-events.ts'
import { answerPermission, createToolMemory, type WorkFolder } from './answer-permission.ts'
import type { ConfinedProcess } from './confined-process.ts'
import { readMessages } from './read-messages.ts'

/** An agent that does not read what it asked for is not told more. */
const maxUnreadBytes = 4 * 1024 ** 2

export interface AgentAnswer {
  stopReason: unknown
  usage: unknown
}

export interface AgentConnection {
  /** @throws {RunError} `agent_unusable` if the agent speaks another version of the protocol or refuses a session. */
  open(): Promise<void>
  prompt(text: string): Promise<AgentAnswer>
  /** Asks the agent to end its turn, and waits until it has. */
  cancel(turn: Promise<unknown>): Promise<void>
  close(): void
}

export interface ConnectOptions {
  process: ConfinedProcess
  work: WorkFolder
  /** See `Agent`. */
  mode: string | undefined
  /** The most that the agent may write. */
  maxBytes: number
  events: AgentEvents
  onExceeded(error: RunError): void
}

/** Connects to a program that speaks the Agent Client Protocol over its standard streams. */
export async function connectAgent(options: ConnectOptions): Promise<AgentConnection> {
  const { client, methods, PROTOCOL_VERSION } = await import('@agentclientprotocol/sdk')
  const { events, work, mode } = options
  const closing = new AbortController()
  const tools = createToolMemory()
  const onUpdate = (update: unknown) => {
    tools.take(update)
    events.take(update)
  }
  const connection = client({ name: 'quire' })
    .onRequest(methods.client.session.requestPermission, ({ params }) => {
      const { response, isAllowed, text } = answerPermission(params, work, tools.find(params.toolCall.toolCallId))
      events.add({ kind: 'permission', text, outcome: isAllowed ? 'allowed' : 'rejected' })
      return response
    })
    .connect(createStream(options, onUpdate, closing.signal))
  // It rejects when the stream breaks; the end of the process says more.
  connection.closed.catch(() => {})
  let sessionId = ''
  return {
    async open() {
      try {
        const { protocolVersion } = await connection.agent.request(methods.agent.initialize, {
          protocolVersion: PROTOCOL_VERSION,
          clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
          clientInfo: { name: 'quire', version: '1' },
        })
        if (protocolVersion !== PROTOCOL_VERSION) throw otherVersion(protocolVersion, PROTOCOL_VERSION)
        const session = await connection.agent.request(methods.agent.session.new, { cwd: work.seen, mcpServers: [] })
        sessionId = session.sessionId
        if (mode !== undefined && session.modes?.currentModeId !== mode)
          await connection.agent.request(methods.agent.session.setMode, { sessionId, modeId: mode })
      } catch (error) {
        if (error instanceof RunError) throw error
        const said = shorten(error instanceof Error ? error.message : String(error), 300)
        throw new RunError('agent_unusable', `The agent refused a session: ${said}`, { cause: error })
      }
    },
    async prompt(text) {
      const prompt = [{ type: 'text' as const, text }]
      const answer = await connection.agent.request(methods.agent.session.prompt, { sessionId, prompt })
      const { stopReason, usage, _meta } = toFields(answer)
      // Gemini CLI tells it there.
      return { stopReason, usage: usage ?? toFields(toFields(_meta).quota).token_count }
    },
    async cancel(turn) {
      await connection.agent.notify(methods.agent.session.cancel, { sessionId })
      await turn.catch(() => {})
    },
    close() {
      closing.abort()
      connection.close()
    },
  }
}

/**
 * Updates go past the connection, which would check each of 100,000 in a second. It gets only answers that it waits for and requests:
 * of others, it would write to the log of the server.
 */
function createStream(
  { process, maxBytes, events, onExceeded }: ConnectOptions,
  onUpdate: (update: unknown) => void,
  closing: AbortSignal,
) {
  const awaited = new Set<unknown>()
  const readable = new ReadableStream<AnyMessage>({
    start(controller) {
      readMessages(process.stdout, {
        maxBytes,
        onExceeded,
        onMessage(message) {
          const { id, method, params } = message
          if (closing.aborted) return
          if (method === 'session/update') return onUpdate(toFields(params).update)
          const isRequest = typeof method === 'string' && (typeof id === 'string' || typeof id === 'number')
          if (isRequest) events.count()
          if (isRequest || (method === undefined && awaited.delete(id))) controller.enqueue(message as AnyMessage)
        },
      })
    },
  })
  const writable = new WritableStream<AnyMessage>({
    write(message) {
      if ('method' in message && 'id' in message) awaited.add(message.id)
      process.stdin.write(`${toLine(message)}\n`)
      if (process.stdin.writableLength <= maxUnreadBytes) return
      onExceeded(new RunError('resource_limit', 'The agent asks for answers and does not read them.'))
    },
  })
  return { readable, writable }
}

/** Node's readline, which agents use, ends a line at these two characters as well. */
function toLine(message: AnyMessage): string {
  return JSON.stringify(message).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')
}

function otherVersion(version: unknown, own: number): RunError {
  const its = typeof version === 'number' ? version : 'unknown'
  return new RunError(
    'agent_unusable',
    `The agent speaks version ${its} of the Agent Client Protocol; this server needs version ${own}.`,
  )
}
