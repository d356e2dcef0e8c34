// An agent of the Agent Client Protocol that uses no model: it follows a few fixed patterns, so that a job can be shown on any machine.
// It runs confined, without any other file of Quire.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'

/** So long that a reader sees one event after the other. */
const stepMs = 300
const patterns = 'replace "X" with "Y"; add a section "TITLE" to FILE'
const greeting = `I am the demo agent. I use no model, and follow only these patterns: ${patterns}.\n`
/** What stands before the instruction in a prompt of Quire. */
const introduction = 'The instruction:\n\n'

interface Change {
  file: string
  before: string
  after: string
}

interface Message {
  id?: number | string
  method?: string
  params?: { cwd?: string; sessionId?: string; prompt?: { type: string; text?: string }[] }
  result?: { outcome?: { outcome?: string; optionId?: string } }
}

let folder = process.cwd()
let isCancelled = false
let turns = 0
let asked = 0
const answers = new Map<number | string, (message: Message) => void>()

const send = (message: object) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
const update = (sessionId: string, fields: object) =>
  send({ method: 'session/update', params: { sessionId, update: fields } })

createInterface({ input: process.stdin })
  .on('line', line => void receive(JSON.parse(line)))
  .on('close', () => process.exit(0))

async function receive(message: Message): Promise<void> {
  const { id, method, params } = message
  if (method === undefined) return answers.get(id ?? '')?.(message)
  if (method === 'session/cancel') isCancelled = true
  if (id === undefined) return
  if (method === 'initialize') send({ id, result: { protocolVersion: 1, agentCapabilities: {}, authMethods: [] } })
  else if (method === 'session/new') {
    folder = params?.cwd ?? folder
    send({ id, result: { sessionId: 'demo' } })
  } else if (method === 'session/prompt') send({ id, result: { stopReason: await runTurn(params) } })
  else send({ id, error: { code: -32601, message: 'Method not found' } })
}

async function runTurn({ sessionId = '', prompt = [] }: Message['params'] = {}): Promise<string> {
  isCancelled = false
  const say = (text: string) =>
    update(sessionId, { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } })
  if (++turns > 1) {
    say('I have no model to read this with, so I change nothing more.')
    return 'end_turn'
  }
  say(greeting)
  await pause(stepMs)
  const text = prompt.map(({ text = '' }) => text).join('\n')
  const { changes, problems } = planChanges(text.split(introduction).at(-1) ?? '')
  for (const problem of problems) say(`${problem}\n`)
  const showPlan = (status: 'pending' | 'completed') => {
    const entries = changes.map(({ file }) => ({ content: `Edit ${file}`, priority: 'medium', status }))
    if (entries.length > 0) update(sessionId, { sessionUpdate: 'plan', entries })
  }
  showPlan('pending')
  for (const change of changes) {
    await pause(stepMs)
    if (isCancelled) return 'cancelled'
    await edit(sessionId, change)
  }
  showPlan('completed')
  await pause(stepMs)
  if (isCancelled) return 'cancelled'
  say(changes.length === 0 ? 'I found nothing to change.' : `I changed ${changes.map(({ file }) => file).join(', ')}.`)
  return 'end_turn'
}

async function edit(sessionId: string, { file, before, after }: Change): Promise<void> {
  const path = join(folder, file)
  const toolCallId = `edit-${++asked}`
  const toolCall = {
    ...{ toolCallId, title: `Edit ${file}`, kind: 'edit', status: 'pending', locations: [{ path }] },
    content: [{ type: 'diff', path, oldText: before, newText: after }],
  }
  update(sessionId, { sessionUpdate: 'tool_call', ...toolCall })
  const options = [
    { optionId: 'yes', name: 'Allow', kind: 'allow_once' },
    { optionId: 'no', name: 'Reject', kind: 'reject_once' },
  ]
  const answer = await new Promise<Message>(done => {
    answers.set(toolCallId, done)
    send({ id: toolCallId, method: 'session/request_permission', params: { sessionId, toolCall, options } })
  })
  const isAllowed = answer.result?.outcome?.optionId === 'yes'
  if (isAllowed) writeFileSync(path, after)
  update(sessionId, { sessionUpdate: 'tool_call_update', toolCallId, status: isAllowed ? 'completed' : 'failed' })
}

interface Plan {
  changes: Change[]
  /** What could not be done, in sentences. */
  problems: string[]
}

function planChanges(instruction: string): Plan {
  const pages = listPages()
  const lines = instruction
    .split('\n')
    .map(line => line.trim())
    .filter(line => line !== '')
  const plans = lines.flatMap(line => replaceText(line, pages) ?? addSection(line, pages) ?? [])
  const understood = plans.length > 0 ? plans : [addNote(lines.join(' '), pages)]
  return {
    changes: understood.flatMap(({ changes }) => changes),
    problems: understood.flatMap(({ problems }) => problems),
  }
}

function replaceText(line: string, pages: Map<string, string>): Plan | undefined {
  const parts = split(line, 'replace ', ' with ')
  if (!parts) return undefined
  const [from, to] = parts.map(unquote) as [string, string]
  const changes = [...pages].flatMap(([file, before]) =>
    from !== '' && before.includes(from) ? change(pages, file, before.replaceAll(from, to)) : [],
  )
  return { changes, problems: changes.length > 0 ? [] : [`No page has the text "${from}".`] }
}

function addSection(line: string, pages: Map<string, string>): Plan | undefined {
  const parts = split(line, 'add a section ', ' to ')
  if (!parts) return undefined
  const [title, name] = parts.map(unquote) as [string, string]
  const file = [...pages.keys()].find(path => path === name || path.endsWith(`/${name}`))
  if (file === undefined) return { changes: [], problems: [`There is no page ${name}. ${listNames(pages)}`] }
  const text = `## ${title}\n\nThis section was added by the demo agent.`
  return { changes: [change(pages, file, append(pages, file, text))], problems: [] }
}

/** So that every instruction shows how a change becomes a branch. */
function addNote(text: string, pages: Map<string, string>): Plan {
  const file = [...pages.keys()].find(path => /(?:^|\/)(?:index|README)\.mdx?$/.test(path)) ?? [...pages.keys()][0]
  const sorry = `I do not understand this instruction. I understand these patterns: ${patterns}.`
  if (file === undefined) return { changes: [], problems: [sorry, listNames(pages)] }
  const after = append(pages, file, `> Note of the demo agent: ${text}`)
  return { changes: [change(pages, file, after)], problems: [`${sorry} So I only add it to ${file} as a note.`] }
}

/** Later lines of the instruction see the change. */
function change(pages: Map<string, string>, file: string, after: string): Change {
  const before = pages.get(file) ?? ''
  pages.set(file, after)
  return { file, before, after }
}

const append = (pages: ReadonlyMap<string, string>, file: string, text: string) =>
  `${(pages.get(file) ?? '').trimEnd()}\n\n${text}\n`

function listNames(pages: ReadonlyMap<string, string>): string {
  return pages.size === 0 ? 'There are no Markdown files.' : `The pages: ${[...pages.keys()].slice(0, 20).join(', ')}.`
}

/** Splits a line after its beginning at the last place of a word. */
function split(line: string, beginning: string, between: string): [string, string] | undefined {
  const at = line.toLowerCase().lastIndexOf(between)
  if (!line.toLowerCase().startsWith(beginning) || at < beginning.length) return undefined
  return [line.slice(beginning.length, at), line.slice(at + between.length)]
}

function unquote(text: string): string {
  const whole = text.trim()
  const plain = whole.endsWith('.') ? whole.slice(0, -1) : whole
  return /^["'`“].*["'`”]$/.test(plain) ? plain.slice(1, -1) : plain
}

/** Reads the Markdown files, by their paths from the folder, sorted. */
function listPages(): Map<string, string> {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile() && /\.mdx?$/.test(entry.name))
    .map(entry => relative(folder, join(entry.parentPath, entry.name)))
    .filter(name => !name.split('/').some(part => part.startsWith('.')))
  return new Map(names.sort().map(name => [name, readFileSync(join(folder, name), 'utf8')]))
}
