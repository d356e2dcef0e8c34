import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Agent } from '../../../server/agent/agent-settings.ts'
import { openSession } from '../../../server/agent/session/agent-session.ts'
import { type PresetName, presetNames, presets } from '../../../server/agent/session/presets.ts'
import { bubblewrap, canBecomeNobody, prepareSession, runSessionAsNobody } from '../../support/agent-session.ts'
import { someOf } from '../../support/rounds.ts'
import { startScriptedModel } from '../../support/scripted-model.ts'

const bearer = 'authorization: Bearer the-real-key'

/** The programs in the packages, the path of their endpoints, and the header that has the key there. */
const agents: Record<PresetName, { program: string; path: string; key: string }> = {
  opencode: { program: 'opencode-linux-x64/bin/opencode', path: '/v1', key: bearer },
  'qwen-code': { program: '@qwen-code/qwen-code/cli-entry.js', path: '/v1', key: bearer },
  'gemini-cli': { program: '@google/gemini-cli/bundle/gemini.js', path: '', key: 'x-goog-api-key: the-real-key' },
  'claude-code': {
    program: '@agentclientprotocol/claude-agent-acp/dist/index.js',
    path: '',
    key: 'x-api-key: the-real-key',
  },
}

const cache = join(import.meta.dirname, '../../../node_modules/.cache/agents')

/** Installs an agent once. Scripts of packages are not run, so the program of opencode is that of its package for the system. */
function installAgent(preset: PresetName): Agent {
  const { package: npmPackage, tried, create } = presets[preset]
  const [folder, version] = [join(cache, preset), `${npmPackage}@${tried}`]
  const [files, marker] = [join(folder, 'node_modules'), join(folder, 'installed')]
  if (!existsSync(marker) || readFileSync(marker, 'utf8') !== version) {
    mkdirSync(folder, { recursive: true })
    const flags = ['--prefix', folder, '--no-save', '--ignore-scripts', '--no-audit', '--no-fund']
    execFileSync('npm', ['install', ...flags, version], { cwd: folder, stdio: 'inherit' })
    writeFileSync(marker, version)
  }
  const { command, ...rest } = create({ model: 'scripted-1' })
  return {
    ...{ name: preset, ...rest, files: [files] },
    command: [join(files, agents[preset].program), ...command.slice(1)],
  }
}

/** They are large, so each run installs some. */
const chosen = someOf(presetNames)
const limits = { memoryBytes: 3 * 1024 ** 3, processes: 100, diskBytes: 500 * 1024 ** 2 }

test.runIf(bubblewrap && process.arch === 'x64').for(chosen)(
  '%s edits a page confined, with a key that it never has',
  async preset => {
    if (!bubblewrap) return
    const agent = installAgent(preset)
    const { url, keys, models } = await startScriptedModel({ file: '/project/docs/a.md', old: 'teh', new: 'the' })
    const options = prepareSession(agent, bubblewrap, {
      endpoint: { url: url + agents[preset].path, key: 'the-real-key' },
      limits,
    })
    const session = await openSession(options)
    await session.prompt('Fix the typo in docs/a.md.').finally(() => session.close())
    expect(readFileSync(join(options.work, 'docs/a.md'), 'utf8')).toBe('# A\n\nThis is the page.\n')
    expect([[...keys], [...models]]).toEqual([[agents[preset].key], ['scripted-1']])
    expect(session.usage().modelCalls).toBeGreaterThanOrEqual(3)
    expect(options.events).toContainEqual(expect.objectContaining({ kind: 'permission', outcome: 'allowed' }))
  },
)

test.runIf(bubblewrap && canBecomeNobody && process.arch === 'x64').for(chosen)(
  'as another user than root, %s edits a page',
  async preset => {
    const agent = installAgent(preset)
    const { url } = await startScriptedModel({ file: '/project/docs/a.md', old: 'teh', new: 'the' })
    const { error, page } = await runSessionAsNobody(
      agent,
      { url: url + agents[preset].path, key: 'the-real-key' },
      limits,
    )
    expect([error, page]).toEqual([undefined, '# A\n\nThis is the page.\n'])
  },
)
