import { realpathSync } from 'node:fs'
import { join, sep } from 'node:path'
import { findInPath } from '../../base/executables.ts'
import type { Agent } from '../agent-settings.ts'
import type { OwnProgram } from './plan-start.ts'

export interface PresetOptions {
  model: string
  /** The address of the model for the agent. The relay replaces the usual value. */
  modelUrl?: string
}

export interface Preset {
  /** The version that the tests of Quire run. */
  tried: string
  /** The package of npm that has the program. */
  package: string
  program: string
  /** The command has the name of the program. Arguments and the environment set everything but the mode. */
  create(options: PresetOptions): Pick<Agent, 'command' | 'env' | 'model' | 'mode'>
}

export const presetNames = ['opencode', 'qwen-code', 'gemini-cli', 'claude-code'] as const
export type PresetName = (typeof presetNames)[number]

/** Agents want a key. That of the endpoint is known only to the gate. */
const noKey = 'not-a-key'
const usualUrl = '{modelUrl}'

export const presets: Readonly<Record<PresetName, Preset>> = {
  opencode: {
    tried: '1.18.33',
    package: 'opencode-ai',
    program: 'opencode',
    create: ({ model, modelUrl = usualUrl }) => ({
      model,
      command: ['opencode', 'acp', '--cwd', '{work}'],
      env: {
        OPENCODE_CONFIG_CONTENT: JSON.stringify(configureOpencode(model, modelUrl)),
        // Configuration and plugins in the repository would run as code.
        ...switchOn('DISABLE_PROJECT_CONFIG', 'PURE', 'DISABLE_DEFAULT_PLUGINS', 'DISABLE_EXTERNAL_SKILLS'),
        ...switchOn('DISABLE_AUTOUPDATE', 'DISABLE_MODELS_FETCH', 'DISABLE_LSP_DOWNLOAD', 'DISABLE_SHARE'),
        ...switchOn('DISABLE_CLAUDE_CODE', 'DISABLE_EMBEDDED_WEB_UI'),
      },
    }),
  },
  'qwen-code': {
    tried: '0.24.4',
    package: '@qwen-code/qwen-code',
    program: 'qwen',
    create: ({ model, modelUrl = usualUrl }) => ({
      model,
      // Otherwise, it edits without asking.
      command: ['qwen', '--acp', '--approval-mode', 'default'],
      env: { OPENAI_API_KEY: noKey, OPENAI_BASE_URL: modelUrl, OPENAI_MODEL: model, QWEN_TELEMETRY_ENABLED: '0' },
    }),
  },
  'gemini-cli': {
    tried: '0.61.0',
    package: '@google/gemini-cli',
    program: 'gemini',
    create: ({ model, modelUrl = usualUrl }) => ({
      model,
      command: ['gemini', '--acp', '--model', model],
      env: {
        ...{ GEMINI_API_KEY: noKey, GOOGLE_GEMINI_BASE_URL: modelUrl, GEMINI_MODEL: model },
        ...{ GEMINI_TELEMETRY_ENABLED: 'false', GEMINI_DEFAULT_AUTH_TYPE: 'gemini-api-key' },
        // Otherwise, it starts a second Node, with a larger heap.
        GEMINI_CLI_NO_RELAUNCH: 'true',
      },
    }),
  },
  'claude-code': {
    tried: '0.101.0',
    package: '@agentclientprotocol/claude-agent-acp',
    program: 'claude-agent-acp',
    create: ({ model, modelUrl = usualUrl }) => ({
      model,
      command: ['claude-agent-acp'],
      // Otherwise, it starts in `auto` with some models, and edits without asking.
      mode: 'default',
      env: {
        ...{ ANTHROPIC_API_KEY: noKey, ANTHROPIC_BASE_URL: modelUrl, ANTHROPIC_MODEL: model },
        ...{ CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1', DISABLE_AUTOUPDATER: '1', DISABLE_TELEMETRY: '1' },
        // It would call the model after each turn.
        CLAUDE_CODE_ENABLE_PROMPT_SUGGESTION: 'false',
      },
    }),
  },
}

/** An instruction that the scripted agent understands, and that the documentation of the demo needs. */
export const demoSuggestion = 'replace "teh" with "the"'

/** The scripted agent that ships with Quire. It needs no model. */
export function createDemoAgent(program: OwnProgram): Agent {
  return { name: 'demo', model: 'demo', command: program.command, files: program.files, env: {} }
}

const switchOn = (...names: string[]) => Object.fromEntries(names.map(name => [`OPENCODE_${name}`, '1']))

function configureOpencode(model: string, modelUrl: string): object {
  const denied = { '*': 'deny', external_directory: 'deny' }
  const reading = { read: 'allow', glob: 'allow', grep: 'allow', list: 'allow' }
  return {
    ...{ model: `quire/${model}`, small_model: `quire/${model}`, enabled_providers: ['quire'] },
    ...{ autoupdate: false, share: 'disabled', snapshot: false, lsp: false, formatter: false, plugin: [], mcp: {} },
    // The server is asked about each edit.
    permission: { ...denied, ...reading, edit: 'ask' },
    provider: {
      quire: {
        npm: '@ai-sdk/openai-compatible',
        options: { baseURL: modelUrl, apiKey: noKey },
        models: { [model]: { tool_call: true, limit: { context: 100_000, output: 8000 } } },
      },
    },
  }
}

/** Where a program is, and what must be shown to it in the confinement. */
export interface FoundProgram {
  path: string
  files: string[]
}

/** Finds a program in a search path. Programs of npm outside of /usr need their folder `node_modules`. */
export function findProgram(name: string, path = process.env.PATH ?? ''): FoundProgram | undefined {
  const file = findInPath(name, path)
  if (file === undefined) return undefined
  const real = realpathSync(file)
  if (real.startsWith('/usr/')) return { path: real, files: [] }
  const [before, after] = real.split(`${sep}node_modules${sep}`, 2)
  return { path: real, files: [after === undefined ? real : join(before ?? '', 'node_modules')] }
}
