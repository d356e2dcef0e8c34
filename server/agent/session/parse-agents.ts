import { findNearestName } from '../../base/nearest-name.ts'
import { OperatorError } from '../../base/operator-error.ts'
import type { Agent } from '../agent-settings.ts'
import { findProgram, type PresetName, presetNames, presets } from './presets.ts'

const fields = ['preset', 'command', 'env', 'model', 'files', 'mode']
/** Other things are there in the confinement. */
const takenFolders = ['/proc', '/dev', '/run/quire', '/project', '/home/agent']
const ownVariables = ['PATH', 'HOME', 'TMPDIR', 'LD_PRELOAD', 'LD_LIBRARY_PATH']

/**
 * Reads a table of agents: a JSON object with one object for each name. An agent is a preset with a model, such as
 * `{"preset": "opencode", "model": "gpt-5"}`, or has a command.
 *
 * @throws {OperatorError} with the field and the remedy.
 */
export function parseAgents(text: string, find = findProgram): Agent[] {
  let table: unknown
  try {
    table = JSON.parse(text)
  } catch (error) {
    throw new OperatorError(`The table of agents is not valid JSON (${(error as Error).message}). Correct it.`)
  }
  if (!isObject(table) || Object.keys(table).length === 0)
    throw new OperatorError(
      'The table of agents must be a JSON object such as {"writer": {"preset": "opencode", "model": "gpt-5"}}.',
    )
  return Object.entries(table).map(([name, value]) => parseAgent(name, value, find))
}

function parseAgent(name: string, value: unknown, find: typeof findProgram): Agent {
  const fail = (sentence: string) => new OperatorError(`Agent ${JSON.stringify(name)}: ${sentence}`)
  if (!/^[a-z0-9][a-z0-9-]{0,63}$/.test(name))
    throw fail('the name must have only lower-case letters, digits and hyphens.')
  if (!isObject(value)) throw fail('it must be an object with preset or command, and model.')
  const unknown = Object.keys(value).find(field => !fields.includes(field))
  if (unknown !== undefined) throw fail(`${unknown} is not a field. ${suggest(unknown, fields)}`)
  const { preset, model, command, env = {}, files = [], mode } = value
  if (typeof model !== 'string' || model.trim() === '' || model.length > 200)
    throw fail('model must be the name of a model at the endpoint, in at most 200 characters.')
  if ((preset === undefined) === (command === undefined)) throw fail('set either preset or command.')
  if (!isTexts(files) || files.some(file => !file.startsWith('/')))
    throw fail('files must be an array of absolute paths.')
  for (const file of files) checkFile(file, fail)
  if (!isObject(env) || !isTexts(Object.values(env))) throw fail('env must be an object whose values are texts.')
  const own = Object.keys(env).find(variable => ownVariables.includes(variable))
  if (own !== undefined) throw fail(`env cannot set ${own}, because the confinement does. Remove it.`)
  if (mode !== undefined && (typeof mode !== 'string' || mode === ''))
    throw fail('mode must be the id of a mode of the agent.')
  const given = { env: env as Record<string, string>, files, model, ...(mode !== undefined && { mode }) }
  if (preset !== undefined) return fromPreset(name, preset, given, { fail, find })
  if (!isTexts(command) || command.length === 0 || command[0] === '')
    throw fail('command must be an array with a program and its arguments.')
  return { name, command, ...given }
}

type Given = Pick<Agent, 'env' | 'files' | 'model' | 'mode'>
interface Tools {
  fail(sentence: string): OperatorError
  find: typeof findProgram
}

function fromPreset(name: string, preset: unknown, given: Given, { fail, find }: Tools): Agent {
  if (!presetNames.includes(preset as PresetName)) throw fail(`preset must be one of ${presetNames.join(', ')}.`)
  const { program, package: npmPackage, create } = presets[preset as PresetName]
  const found = find(program)
  if (!found)
    throw fail(
      `the program ${program} is not in PATH. Install it with npm install --global ${npmPackage}, or set command.`,
    )
  const { command, env, ...rest } = create({ model: given.model })
  return {
    ...rest,
    ...given,
    ...{ name, command: [found.path, ...command.slice(1)] },
    env: { ...env, ...given.env },
    files: [...new Set([...found.files, ...given.files])],
  }
}

function checkFile(file: string, fail: Tools['fail']): void {
  const path = file.replace(/\/$/, '')
  const taken = takenFolders.find(folder => `${folder}/`.startsWith(`${path}/`))
  if (taken !== undefined) throw fail(`files cannot have ${file}, because the confinement has its own ${taken}.`)
}

function suggest(name: string, known: readonly string[]): string {
  const nearest = findNearestName(name, known)
  return nearest === undefined ? `The fields are ${known.join(', ')}.` : `Did you mean ${nearest}?`
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every(item => typeof item === 'string')
