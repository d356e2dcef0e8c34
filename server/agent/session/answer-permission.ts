import { lstatSync, realpathSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import type { RequestPermissionRequest, RequestPermissionResponse } from '@agentclientprotocol/sdk'
import { toFields, toText } from './agent-events.ts'

/** The folder of the documentation, where the agent sees it and where the server does. */
export interface WorkFolder {
  seen: string
  real: string
}

const allowedKinds: ReadonlySet<unknown> = new Set(['edit', 'read', 'move', 'delete', 'search'])
/** Names that agents use for a path in the input of a tool. */
const pathFields = ['path', 'filePath', 'file_path', 'filepath', 'absolute_path', 'notebook_path']
const maxPaths = 100
/** Tools that have not ended are known for later questions about them. */
const maxTools = 500

/** What an agent told about a tool. */
interface AnnouncedTool {
  kind: unknown
  paths: string[]
}

/** Remembers tools. A question about a tool has only what changed since its last update: https://agentclientprotocol.com/protocol/schema */
export function createToolMemory() {
  const tools = new Map<unknown, AnnouncedTool>()
  return {
    /** Takes the `update` of a message `session/update`, which nobody has checked. */
    take(update: unknown): void {
      const { sessionUpdate, toolCallId, kind, status } = toFields(update)
      if (sessionUpdate !== 'tool_call' && sessionUpdate !== 'tool_call_update') return
      const known = tools.get(toolCallId)
      if (status === 'completed' || status === 'failed') tools.delete(toolCallId)
      else if (known || tools.size < maxTools) {
        const paths = new Set([...(known?.paths ?? []), ...listPaths(update)])
        tools.set(toolCallId, { kind: kind ?? known?.kind, paths: [...paths].slice(0, maxPaths + 1) })
      }
    },
    find: (toolCallId: string) => tools.get(toolCallId),
  }
}

/**
 * Answers whether a tool may run: only on files below the folder of the documentation, without names that begin with a dot.
 *
 * @param known what the agent told about the tool before
 */
export function answerPermission(
  { toolCall, options }: RequestPermissionRequest,
  work: WorkFolder,
  known?: AnnouncedTool,
): { response: RequestPermissionResponse; isAllowed: boolean; text: string } {
  const paths = [...new Set([...listPaths(toolCall), ...(known?.paths ?? [])])]
  const kind = toolCall.kind ?? known?.kind
  const isAllowed =
    allowedKinds.has(kind) &&
    paths.length > 0 &&
    paths.length <= maxPaths &&
    paths.every(path => isInside(path, work)) &&
    options.some(({ kind }) => kind === 'allow_once')
  const wanted = isAllowed ? ['allow_once'] : ['reject_once', 'reject_always']
  const option = wanted.flatMap(kind => options.find(option => option.kind === kind) ?? [])[0]
  const title = toolCall.title ?? ''
  const words = [title, ...title.split(' ')]
  const unsaid = paths.filter(path => !words.includes(path) && !words.includes(posix.relative(work.seen, path)))
  const first = words[1]?.toLowerCase() === kind ? '' : toText(kind) || 'other'
  const text = [first, title, ...unsaid].filter(Boolean).join(' ')
  return {
    response: { outcome: option ? { outcome: 'selected', optionId: option.optionId } : { outcome: 'cancelled' } },
    isAllowed,
    text,
  }
}

function listPaths(toolCall: unknown): string[] {
  const { locations, content, rawInput } = toFields(toolCall)
  const input = toFields(rawInput)
  // Tools for several files have an array of objects, such as `files`.
  const inputs = [input, ...Object.values(input).flatMap(toList)]
  const paths: unknown[] = [
    ...toList(locations).map(({ path }) => path),
    ...toList(content).map(({ type, path }) => (type === 'diff' ? path : undefined)),
    ...inputs.flatMap(input => pathFields.map(name => input[name])),
  ]
  return [...new Set(paths.filter(path => typeof path === 'string' && path !== ''))] as string[]
}

const toList = (value: unknown) => (Array.isArray(value) ? value.map(toFields) : [])

function isInside(path: string, { seen, real }: WorkFolder): boolean {
  const below = posix.relative(seen, posix.resolve(seen, path))
  if (below.startsWith('/') || below.split('/').some(name => name.startsWith('.'))) return false
  // The agent may have made a link that leads out.
  const place = join(real, below)
  let existing = place
  try {
    while (!lstatSync(existing, { throwIfNoEntry: false }) && existing.length > real.length)
      existing = dirname(existing)
    const [resolved, root] = [realpathSync(existing), realpathSync(real)]
    return resolved === root || resolved.startsWith(`${root}/`)
  } catch {
    // Such as a link to nothing, whose target a write would create.
    return false
  }
}
