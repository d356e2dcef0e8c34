import { setTimeout as pause } from 'node:timers/promises'
import type { NewAgentEvent } from '../agent-event.ts'
import type { Agent, Confinement, ModelEndpoint, RunLimits } from '../agent-settings.ts'
import { RunError } from '../run-end.ts'
import { type AgentUsage, createAgentEvents } from './agent-events.ts'
import { type ConfinedProcess, startConfined } from './confined-process.ts'
import { type AgentConnection, connectAgent } from './connect-agent.ts'
import { describeCrash, describeEnd, describeFailedStart } from './describe-end.ts'
import { type Gate, openGate } from './gate.ts'
import type { OwnProgram } from './plan-start.ts'

/** A cancelled agent has this time to answer. */
const cancelGraceMs = 2000
/** An agent that does not answer its first requests within this time never will. */
const startMs = 60_000

export interface SessionOptions {
  agent: Agent
  confinement: Confinement
  /** Null = the agent needs no model. */
  endpoint: ModelEndpoint | null
  /** How `relay.ts` is started; see `describeProgram`. */
  relay: OwnProgram
  /** The folder with the documentation, which the agent reads and writes. Absolute, like the others; all exist. */
  work: string
  /** The private HOME of the agent. */
  home: string
  /** A folder for the socket of the gate. The agent does not see it. */
  scratch: string
  limits: RunLimits
  /** Called in order. The text is shortened. */
  onEvent(event: NewAgentEvent): void
  /** Aborts with a RunError as its reason. */
  signal: AbortSignal
}

export interface AgentSession {
  /**
   * Gives the agent an instruction. Resolves when the agent ended its turn by itself.
   *
   * @throws {RunError} otherwise. Why the server stopped the agent goes before what the agent says.
   */
  prompt(text: string): Promise<void>
  /** What was used so far; null = the agent does not tell. */
  usage(): AgentUsage & { modelCalls: number }
  /** Ends all processes of the agent. None of them exists afterwards. Takes at most about 3 s. */
  close(): Promise<void>
}

/**
 * Starts an agent in its confinement and opens a session of the Agent Client Protocol with it.
 *
 * @throws {RunError} when the agent cannot be used, crashed or exceeded a limit, or with the reason of the signal. Nothing is left then.
 */
export async function openSession(options: SessionOptions): Promise<AgentSession> {
  options.signal.throwIfAborted()
  const running = new RunningAgent(options)
  try {
    await running.start()
  } catch (error) {
    await running.close()
    throw error instanceof RunError ? error : new RunError('internal', 'The agent cannot be started.', { cause: error })
  }
  return running
}

class RunningAgent implements AgentSession {
  readonly #options: SessionOptions
  readonly #stopping = new AbortController()
  readonly #events: ReturnType<typeof createAgentEvents>
  readonly #onAbort: () => void
  #gate: Gate | undefined
  #process: ConfinedProcess | undefined
  #connection: AgentConnection | undefined
  #closing: Promise<void> | undefined

  constructor(options: SessionOptions) {
    this.#options = options
    this.#events = createAgentEvents(
      options.limits.events,
      event => this.#tell(event),
      error => this.#stop(error),
    )
    this.#onAbort = () => {
      const { reason } = options.signal
      this.#stop(
        reason instanceof RunError ? reason : new RunError('internal', 'The run was stopped.', { cause: reason }),
      )
    }
    options.signal.addEventListener('abort', this.#onAbort, { once: true })
  }

  async start(): Promise<void> {
    const { agent, endpoint, scratch, limits, relay, work } = this.#options
    const onExceeded = (error: RunError) => this.#stop(error)
    const onProblem = (text: string) => this.#events.add({ kind: 'state', text })
    const gate = { scratch, maxCalls: limits.modelCalls, onExceeded, onProblem }
    this.#gate = endpoint ? await openGate({ endpoint, ...gate }) : undefined
    const { socket, token } = this.#gate ?? {}
    const way = socket !== undefined && token !== undefined ? { relay, socket, token } : null
    const program = fillModel(agent)
    this.#process = await startConfined({ ...this.#options, program, gate: way, onExceeded })
    this.#connection = await connectAgent({
      process: this.#process,
      work: { real: work, seen: this.#process.seenWork },
      mode: agent.mode,
      maxBytes: limits.outputBytes,
      events: this.#events,
      onExceeded,
    })
    const late = new RunError('agent_unusable', `The agent ${agent.name} did not answer within a minute of its start.`)
    const timer = setTimeout(() => this.#stop(late), startMs)
    try {
      await this.#untilStopped(this.#connection.open(), end => describeFailedStart(agent, end, this.#process))
    } finally {
      clearTimeout(timer)
    }
  }

  async prompt(text: string): Promise<void> {
    const connection = this.#connection
    if (!connection) throw new Error('The session is not open.')
    const answering = connection.prompt(text)
    const failed = () => this.#gate?.failure()
    try {
      const answer = await this.#untilStopped(
        answering,
        end => describeCrash(end, this.#process),
        () => connection.cancel(answering),
      )
      this.#events.addUsage(answer.usage)
      const error = describeEnd(answer, failed())
      if (error) throw error
    } catch (error) {
      throw error instanceof RunError ? error : describeCrash({ error }, this.#process, failed())
    } finally {
      this.#events.flush()
    }
  }

  usage(): AgentUsage & { modelCalls: number } {
    return { ...this.#events.usage, modelCalls: this.#gate?.calls() ?? 0 }
  }

  close(): Promise<void> {
    this.#closing ??= (async () => {
      this.#options.signal.removeEventListener('abort', this.#onAbort)
      await this.#process?.kill()
      this.#connection?.close()
      this.#events.flush()
      await this.#gate?.close()
    })()
    return this.#closing
  }

  #tell(event: NewAgentEvent): void {
    const { work, home, onEvent } = this.#options
    try {
      // Without a confinement, the agent knows the paths of the server. They are of no use to readers.
      onEvent({ ...event, text: event.text.replaceAll(work, '/project').replaceAll(home, '/home/agent') })
    } catch (cause) {
      this.#stop(new RunError('internal', 'An event of the agent cannot be stored.', { cause }))
    }
  }

  /** The first reason stays. */
  #stop(reason: RunError): void {
    this.#stopping.abort(reason)
  }

  /**
   * Waits for an answer of the agent. When the agent is stopped, or its process ends before, all its processes are ended.
   *
   * @param cancel asks the agent to stop
   */
  async #untilStopped<T>(
    answer: Promise<T>,
    describe: (end: { code: number | null; signal: string | null }) => RunError,
    cancel?: () => Promise<unknown>,
  ): Promise<T> {
    const process = this.#process
    const { signal } = this.#stopping
    answer.catch(() => {})
    const stopped = Promise.withResolvers<'stopped'>()
    const onStop = () => stopped.resolve('stopped')
    signal.addEventListener('abort', onStop, { once: true })
    if (signal.aborted) onStop()
    try {
      // The last answer may be in the pipe when the process has ended.
      const ended = process?.ended.then(end => pause(50, end))
      const first = await Promise.race([answer.then(value => ({ value })), stopped.promise, ended ?? stopped.promise])
      if (first !== 'stopped' && 'value' in first && !signal.aborted) return first.value
      if (first !== 'stopped' && 'code' in first && !signal.aborted) throw describe(first)
      const isLimit = signal.reason.code === 'resource_limit'
      if (cancel && !isLimit) await Promise.race([cancel(), process?.ended, pause(cancelGraceMs)])
      throw signal.reason
    } catch (error) {
      if (signal.aborted) {
        await process?.kill()
        throw signal.reason
      }
      throw error
    } finally {
      signal.removeEventListener('abort', onStop)
    }
  }
}

function fillModel({ command, env, files, model }: Agent) {
  const fill = (text: string) => text.replaceAll('{model}', model)
  return {
    command: command.map(fill),
    env: Object.fromEntries(Object.entries(env).map(([name, value]) => [name, fill(value)])),
    files,
  }
}
