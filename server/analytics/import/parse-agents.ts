import { OperatorError } from '../../base/operator-error.ts'
import { readName } from '../../tenancy/name.ts'
import { type OwnAgent, ownAgentClasses } from '../../tenancy/project.ts'
import { parseCidr } from '../formats/address-ranges.ts'

/** Limits of what is kept with a project. */
const maxCharacters = 65_536
const maxAgents = 100
const maxTexts = 20
const minTextCharacters = 3
const maxTextCharacters = 100
const maxRanges = 2000

const fields = ['name', 'class', 'contains', 'ranges', 'complete']
const example = '{"agents": [{"name": "OurBot", "class": "assistant", "contains": ["OurBot/"]}]}'

/**
 * Parses a file of agents, see `OwnAgent`.
 *
 * @throws {OperatorError} naming the entry and the field.
 */
export function parseAgents(text: string): OwnAgent[] {
  if (text.length > maxCharacters) fail(`It has more than ${maxCharacters} characters.`)
  const file = parseJson(text)
  if (!isObject(file) || !Array.isArray(file.agents) || Object.keys(file).length > 1) {
    fail(`It must be an object with the field agents, such as ${example}.`)
  }
  if (file.agents.length > maxAgents) fail(`agents has ${file.agents.length} entries, and may have ${maxAgents}.`)
  return file.agents.map(toAgent)
}

/** Writes agents as `parseAgents` reads them, one a line. */
export function formatAgents(agents: readonly OwnAgent[]): string {
  const lines = agents.map(({ contains, ranges, complete, ...agent }) =>
    JSON.stringify({
      ...agent,
      ...(contains.length > 0 && { contains }),
      ...(ranges.length > 0 && { ranges }),
      ...(complete && { complete }),
    }),
  )
  return `{"agents": [\n${lines.join(',\n')}\n]}`
}

// The error of JSON.parse quotes the text, which may be of another file with secrets.
function parseJson(text: string): unknown {
  try {
    // Editors of Windows begin files with a byte order mark.
    return JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch {
    return fail(`It is not JSON such as ${example}.`)
  }
}

function toAgent(entry: unknown, index: number): OwnAgent {
  const place = `agents, entry ${index + 1}`
  if (!isObject(entry)) fail(`${place} must be an object with the fields ${fields.join(', ')}.`)
  const refuse = (field: string, problem: string): never => fail(`${place}, ${field}: ${problem}`)
  const wrong = Object.keys(entry).find(field => !fields.includes(field))
  if (wrong !== undefined)
    refuse(wrong.slice(0, maxTextCharacters), `There is no such field, only ${fields.join(', ')}.`)
  const agent: OwnAgent = {
    name: readAgentName(entry.name, problem => refuse('name', problem)),
    class:
      ownAgentClasses.find(known => known === entry.class) ??
      refuse('class', `It must be one of ${ownAgentClasses.join(', ')}.`),
    contains: readList(entry.contains, maxTexts, problem => refuse('contains', problem)),
    ranges: readList(entry.ranges, maxRanges, problem => refuse('ranges', problem)),
    complete: (entry.complete ?? false) as boolean,
  }
  const badText = agent.contains.find(({ length }) => length < minTextCharacters || length > maxTextCharacters)
  if (badText !== undefined) {
    refuse(
      'contains',
      `A text must have ${minTextCharacters} to ${maxTextCharacters} characters: ${JSON.stringify(badText.slice(0, maxTextCharacters))}.`,
    )
  }
  const badRange = agent.ranges.find(range => !parseCidr(range))
  if (badRange !== undefined) {
    refuse(
      'ranges',
      `${JSON.stringify(badRange.slice(0, maxTextCharacters))} is neither an address nor a block such as 203.0.113.0/24.`,
    )
  }
  if (agent.contains.length + agent.ranges.length === 0)
    refuse('contains', 'Without ranges, it must have a text, such as OurBot/.')
  if (typeof agent.complete !== 'boolean') refuse('complete', 'It must be true or false.')
  const isNamedAi = agent.contains.length > 0 && agent.class !== 'not-ai'
  if (agent.complete && (!isNamedAi || agent.ranges.length === 0)) {
    refuse('complete', 'It needs an AI agent with both contains and ranges. Give both, or leave complete out.')
  }
  if (agent.class === 'not-ai' && agent.contains.length > 0 && agent.ranges.length > 0) {
    refuse('ranges', 'An agent with the class not-ai may have contains or ranges, not both. Make two entries.')
  }
  return agent
}

function readAgentName(value: unknown, refuse: (problem: string) => never): string {
  if (typeof value !== 'string') return refuse('It must be a text.')
  // Labels write the class of an agent behind this character, see `toAgentKey`.
  if (value.includes('@')) return refuse('It may not contain @.')
  try {
    return readName(value)
  } catch (error) {
    return refuse((error as Error).message)
  }
}

function readList(value: unknown, limit: number, refuse: (problem: string) => never): string[] {
  if (value === undefined) return []
  if (!Array.isArray(value) || !value.every(text => typeof text === 'string'))
    return refuse('It must be a list of texts.')
  if (value.length > limit) return refuse(`It has ${value.length} texts, and may have ${limit}.`)
  return [...new Set(value as string[])]
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function fail(problem: string): never {
  throw new OperatorError(problem, 2)
}
