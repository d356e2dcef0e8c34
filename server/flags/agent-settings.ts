import { demoSuggestion } from '../agent/session/presets.ts'
import { OperatorError } from '../base/operator-error.ts'
import type { Config } from '../config.ts'
import { readAgentTable } from './agent-table.ts'
import { readGivenFile } from './read-given-file.ts'
import { type FlagsOf, integer, nonEmpty, type Settings } from './setting.ts'

const megabyte = 1024 ** 2

/** The settings of a server that lets agents work on documentation. */
export const agentSettings = {
  agent: {
    flag: '--agent <name>',
    env: 'QUIRE_AGENT',
    what: 'agent that works on agent jobs: opencode, qwen-code, gemini-cli, claude-code, demo (scripted, without a model), or a name of --agents-file (default: none, and jobs are only reported)',
    read: nonEmpty('the name of an agent'),
  },
  agentsFile: {
    flag: '--agents-file <file>',
    env: 'QUIRE_AGENTS_FILE',
    what: 'JSON file with your own agents: name, command, environment and model of each',
  },
  agentModel: {
    flag: '--agent-model <name>',
    env: 'QUIRE_AGENT_MODEL',
    what: 'model of the agents that Quire knows, by its name at the endpoint',
  },
  agentModelUrl: {
    flag: '--agent-model-url <url>',
    env: 'QUIRE_AGENT_MODEL_URL',
    what: 'endpoint of the model, such as https://models.example.com/v1; agents reach nothing else',
    read: readEndpoint,
  },
  agentModelKeyFile: {
    flag: '--agent-model-key-file <file>',
    env: 'QUIRE_AGENT_MODEL_KEY_FILE',
    what: 'file with the key of that endpoint; agents never see it',
  },
  agentSandbox: {
    flag: '--agent-sandbox <command>',
    env: 'QUIRE_AGENT_SANDBOX',
    what: 'command that runs agents in place of bubblewrap, such as podman run; {work}, {home} and {socket} are replaced',
    read: readSandbox,
  },
  agentUnconfined: {
    flag: '--agent-unconfined',
    env: 'QUIRE_AGENT_UNCONFINED',
    what: 'run agents without bubblewrap, with all rights of the server; only in a container or virtual machine that agents may take over',
  },
  agentCheck: {
    flag: '--agent-check <command>',
    env: 'QUIRE_AGENT_CHECK',
    what: 'shell command that must succeed in the changed folders before a change is pushed; confined as agents are',
    read: nonEmpty('a command'),
  },
  agentJobsAtOnce: number('jobs-at-once', 'agent jobs that run at once on this server', 1, 64),
  agentJobsPerProject: number('jobs-per-project', 'agent jobs of one project that run at once', 1, 64),
  agentJobMinutes: number('job-minutes', 'time limit of one agent job, in minutes', 30, 1440),
  agentMemoryMb: number('memory-mb', 'maximum MB of memory of one agent', 4096, 1_000_000, 64),
  agentDiskMb: number('disk-mb', 'maximum MB that one agent writes', 1024, 1_000_000),
  agentProcesses: number('processes', 'maximum processes and threads of one agent', 512, 100_000, 16),
  agentModelCalls: number('model-calls', 'maximum requests of one job to the model', 200, 100_000),
  agentChangedFiles: number('changed-files', 'maximum files that one job may change', 100, 10_000),
  agentChangedLines: number('changed-lines', 'maximum lines that one job may change', 5000, 1_000_000),
  agentJobsHour: number('jobs-hour', 'instructions to agents of one project in an hour', 30, 100_000),
  agentActiveJobs: number('active-jobs', 'agent jobs of one project that are queued or running', 10, 10_000),
  agentPullRequests: number(
    'pull-requests',
    'completed agent jobs of one project with a pull request that are not archived',
    20,
    10_000,
  ),
} as const satisfies Settings

function number<Value extends number>(name: string, what: string, byDefault: Value, most: number, least = 1) {
  const env = `QUIRE_AGENT_${name.toUpperCase().replaceAll('-', '_')}`
  return {
    flag: `--agent-${name} <number>`,
    env,
    what,
    default: byDefault as number,
    read: integer(least, most),
  } as const
}

/** @throws {OperatorError} with exit code 2, naming the flag and the remedy. */
export function readAgents(flags: FlagsOf<typeof agentSettings>): Pick<Config, 'agentOffer' | 'agentRunner'> {
  if (flags.agent === undefined) {
    if (flags.agentsFile !== undefined)
      throw new OperatorError('--agents-file needs --agent, the name of an agent in the file.', 2)
    return { agentOffer: undefined, agentRunner: undefined }
  }
  const url = flags.agentModelUrl
  const key = flags.agentModelKeyFile === undefined ? undefined : readKey(flags.agentModelKeyFile)
  if (key !== undefined && url === undefined)
    throw new OperatorError('--agent-model-key-file needs --agent-model-url.', 2)
  const agent = readAgentTable(flags.agent, { file: flags.agentsFile, model: flags.agentModel })
  if (url === undefined && flags.agent !== 'demo')
    throw new OperatorError(`--agent ${flags.agent} needs --agent-model-url, the endpoint of its model.`, 2)
  return {
    agentOffer: {
      model: agent.model,
      limits: { active: flags.agentActiveJobs, openPullRequests: flags.agentPullRequests },
      perHour: flags.agentJobsHour,
      suggestion: flags.agent === 'demo' ? demoSuggestion : undefined,
    },
    agentRunner: {
      agent,
      confinement: readConfinement(flags),
      endpoint: url === undefined ? null : { url, key },
      limits: readRunLimits(flags),
      check: flags.agentCheck,
      jobsAtOnce: flags.agentJobsAtOnce,
      perProject: flags.agentJobsPerProject,
    },
  }
}

function readConfinement({ agentSandbox, agentUnconfined }: FlagsOf<typeof agentSettings>) {
  if (agentSandbox === undefined) return agentUnconfined ? ({ kind: 'none' } as const) : 'find'
  if (!agentUnconfined) return { kind: 'command', command: agentSandbox } as const
  throw new OperatorError('--agent-sandbox and --agent-unconfined exclude each other. Leave one of them out.', 2)
}

/** Splits at spaces. The paths that are put in may have spaces. */
function readSandbox(text: string): string[] {
  const words = text.split(/\s+/).filter(Boolean)
  if (words.some(word => word.includes('{work}'))) return words
  throw new OperatorError(
    '--agent-sandbox must be a command with {work}, the folder of the job, such as: podman run --rm -i --volume={work}:{work} IMAGE',
    2,
  )
}

function readRunLimits(flags: FlagsOf<typeof agentSettings>) {
  return {
    timeoutMs: flags.agentJobMinutes * 60_000,
    memoryBytes: flags.agentMemoryMb * megabyte,
    diskBytes: flags.agentDiskMb * megabyte,
    processes: flags.agentProcesses,
    // What a reader still reads, and what a model writes in thousands of steps.
    outputBytes: 64 * megabyte,
    events: 5000,
    modelCalls: flags.agentModelCalls,
    changedFiles: flags.agentChangedFiles,
    changedLines: flags.agentChangedLines,
    fileBytes: 10 * megabyte,
  }
}

function readEndpoint(text: string): string {
  const url = URL.parse(text)
  if (url && /^https?:$/.test(url.protocol) && url.username === '' && url.search === '' && url.hash === '')
    return text.endsWith('/') ? text.slice(0, -1) : text
  throw new OperatorError(
    '--agent-model-url must be an http(s) address such as https://models.example.com/v1, without a key.',
    2,
  )
}

function readKey(file: string): string {
  const key = readGivenFile(file, `--agent-model-key-file ${file}`).trim()
  if (/^\S{1,4096}$/.test(key)) return key
  throw new OperatorError('--agent-model-key-file: the file must have one key without spaces.', 2)
}
