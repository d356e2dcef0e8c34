import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { agentJobsCommand } from '../../server/commands/agent-jobs.ts'
import { exportsCommand } from '../../server/commands/exports.ts'
import { keysCommand } from '../../server/commands/keys.ts'
import { loginCommand } from '../../server/commands/login.ts'
import { orgsCommand } from '../../server/commands/orgs.ts'
import { projectsCommand } from '../../server/commands/projects.ts'
import { sitesCommand } from '../../server/commands/sites.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'quire-missing-data-'))
  writeFileSync(join(folder, 'jobs.jsonl'), '')
  vi.spyOn(console, 'log').mockImplementation(() => {})
})
afterEach(() => {
  vi.restoreAllMocks()
  rmSync(folder, { recursive: true, force: true })
})

const groups = {
  orgs: orgsCommand,
  projects: projectsCommand,
  sites: sitesCommand,
  login: loginCommand,
  keys: keysCommand,
  exports: exportsCommand,
  'agent-jobs': agentJobsCommand,
}

const calls: [keyof typeof groups, string[]][] = [
  ['orgs', ['list']],
  ['orgs', ['set-plan', 'Acme', 'standard']],
  ['orgs', ['rename', 'Acme', 'Acme Europe']],
  ['orgs', ['delete', 'Acme', '--yes']],
  ['projects', ['list']],
  ['projects', ['create', 'Docs', '--org', 'Acme']],
  ['projects', ['set', 'Docs', '--ai', 'assistants']],
  ['projects', ['rename', 'Docs', 'Old docs']],
  ['projects', ['delete', 'Docs', '--yes']],
  ['sites', ['list']],
  ['sites', ['create', 'docs.example.com', '--project', 'Docs', '--no-probe']],
  ['sites', ['set-origin', 'docs.example.com', '--no-probe']],
  ['sites', ['set-allowed-origins', 'docs.example.com', 'http://10.0.0.7:9000']],
  ['sites', ['set-features', 'docs.example.com', '--clear']],
  ['sites', ['schedule', 'docs.example.com', '--daily', '03:00']],
  ['sites', ['set-signing-key', 'docs.example.com', '--clear']],
  ['sites', ['forget-login', 'docs.example.com']],
  ['login', ['docs.example.com']],
  ['sites', ['delete', 'docs.example.com']],
  ['keys', ['list']],
  ['keys', ['create', 'ci', '--org', 'Acme']],
  ['keys', ['rotate', 'ci']],
  ['keys', ['revoke', 'ci']],
  ['exports', ['list']],
  ['exports', ['cancel', 'se_1']],
  ['exports', ['delete', 'se_1']],
  ['agent-jobs', ['list', '--project', 'Docs']],
  ['agent-jobs', ['import', 'jobs.jsonl', '--project', 'Docs']],
  ['agent-jobs', ['archive', 'aj_1', '--project', 'Docs']],
  ['agent-jobs', ['run', 'Fix the typo.', '--project', 'Docs']],
  ['agent-jobs', ['logs', 'aj_1', '--project', 'Docs']],
  ['agent-jobs', ['show', 'aj_1', '--project', 'Docs']],
  ['agent-jobs', ['cancel', 'aj_1', '--project', 'Docs']],
  ['agent-jobs', ['message', 'aj_1', 'Go on.', '--project', 'Docs']],
  ['agent-jobs', ['repository', 'show', '--project', 'Docs']],
]

test.each(calls)('%s %j refuses a misspelt data folder, and does not create it', async (group, args) => {
  const data = join(folder, 'dtaa')
  const files = args.map(arg => (arg === 'jobs.jsonl' ? join(folder, arg) : arg))
  await expect(groups[group]().parseAsync([...files, '--data', data], { from: 'user' })).rejects.toMatchObject({
    exitCode: 1,
    message: `There is no database in ${data}. Give the server's data folder with --data or QUIRE_DATA, or make one with npx quire init.`,
  })
  expect(existsSync(data)).toBe(false)
})

test('the list of calls has every command of the groups', () => {
  const all = Object.entries(groups).flatMap(([group, create]) =>
    create().commands.map(command => `${group} ${command.name()}`),
  )
  const called = new Set(calls.map(([group, [name]]) => `${group} ${name}`))
  // These three commands of agent-jobs share the code of archive, and a comparison may be of two files.
  const others = ['exports diff', 'orgs create', 'agent-jobs create', 'agent-jobs complete', 'agent-jobs fail']
  expect(all.filter(name => !called.has(name)).sort()).toEqual(others.sort())
})

test('orgs create makes the data folder', async () => {
  const data = join(folder, 'new')
  await orgsCommand().parseAsync(['create', 'Acme', '--data', data], { from: 'user' })
  expect(readdirSync(data)).toContain('quire.db')
})

test('a folder whose database was lost is refused with what it holds', async () => {
  const data = join(folder, 'lost-database')
  mkdirSync(join(data, 'bundles'), { recursive: true })
  writeFileSync(join(data, 'bundles', 'se_1.zip'), '')
  await expect(orgsCommand().parseAsync(['list', '--data', data], { from: 'user' })).rejects.toThrow(
    `${join(data, 'quire.db')} cannot be used: it is missing, but the data folder holds bundles/ (1 entry). Restore quire.db from a backup, or name another folder with --data.`,
  )
  expect(readdirSync(data)).toEqual(['bundles'])
})
