import { execFile } from 'node:child_process'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { writeReportProgram } from '../package/report/report-program.ts'
import { useExtensionsServer } from '../support/extensions-server.ts'
import { texts } from './shipped-documentation.ts'

// Runs the lines of the page with its variables, and with those that each CI sets.

const used = useExtensionsServer()
const program = writeReportProgram()
afterAll(() => program.remove())
const page = texts.get('server/docs/pages/report-from-ci.md') ?? ''

interface Workflow {
  env: Record<string, string>
  lines: string[]
}

interface Job {
  env?: Record<string, string>
  variables?: Record<string, string>
  steps?: { run?: string }[]
  script?: string[]
}

function readWorkflow(title: string): Workflow {
  const text = new RegExp(`^## ${title}\n.*?\`\`\`yaml\n(.*?)\`\`\``, 'ms').exec(page)?.[1] ?? ''
  const document = parse(text) as { jobs?: Record<string, Job> } & Record<string, Job>
  const [job = {}] = Object.values(document.jobs ?? document) as Job[]
  const lines = job.script ?? (job.steps ?? []).flatMap(({ run }) => run ?? [])
  return { env: job.env ?? job.variables ?? {}, lines }
}

const runsOf = (server: string) => ({
  GITHUB_ACTIONS: 'true',
  GITHUB_SERVER_URL: server,
  GITHUB_REPOSITORY: 'acme/docs',
  GITHUB_REF: 'refs/pull/42/merge',
  GITHUB_REF_NAME: '42/merge',
  GITHUB_HEAD_REF: 'agent/guide',
  GITHUB_RUN_ATTEMPT: '1',
  GITHUB_JOB: 'write-docs',
})

/** What each CI sets, the id that follows, and what the page stores as a secret. */
const cases = {
  'GitHub Actions': {
    ci: { ...runsOf('https://github.com'), GITHUB_RUN_ID: '100' },
    id: 'run-100-1-write-docs',
    repository: 'https://github.com/acme/docs',
    prLink: 'https://github.com/acme/docs/pull/42',
  },
  'GitLab CI': {
    ci: {
      GITLAB_CI: 'true',
      CI_JOB_ID: '200',
      CI_PROJECT_URL: 'https://gitlab.com/acme/docs',
      CI_COMMIT_REF_NAME: 'agent/guide',
      CI_MERGE_REQUEST_PROJECT_URL: 'https://gitlab.com/acme/docs',
      CI_MERGE_REQUEST_IID: '42',
    },
    id: 'job-200',
    repository: 'https://gitlab.com/acme/docs',
    prLink: 'https://gitlab.com/acme/docs/-/merge_requests/42',
  },
  'Forgejo and Gitea Actions': {
    ci: { ...runsOf('https://codeberg.org/'), GITHUB_RUN_ID: '300', FORGEJO_ACTIONS: 'true' },
    id: 'run-300-1-write-docs',
    repository: 'https://codeberg.org/acme/docs',
    prLink: 'https://codeberg.org/acme/docs/pulls/42',
  },
}

/** Runs a line of the page in a checkout where `write-docs.sh` is this script. */
function runLine(line: string, env: Record<string, string>, script = 'exit 0') {
  const checkout = join(program.folder, 'checkout')
  mkdirSync(checkout, { recursive: true })
  writeFileSync(join(checkout, 'write-docs.sh'), `#!/bin/sh\n${script}\n`)
  chmodSync(join(checkout, 'write-docs.sh'), 0o755)
  const path = `${program.folder}${delimiter}${process.env.PATH}`
  return promisify(execFile)('sh', ['-ec', line], { cwd: checkout, env: { PATH: path, ...env } })
}

/** The server, project and key of the test, in place of those of the page. */
const settings = () => ({
  QUIRE_URL: used.server.url,
  QUIRE_PROJECT: used.projectId,
  QUIRE_API_KEY: used.keys.ingest,
})
const findJob = async (id: string) => (await used.ask('GET', `/v2/agent/${used.projectId}/job/${id}`)).json

describe.each(Object.entries(cases))('%s', (title, { ci, id, repository, prLink }) => {
  const { env, lines } = readWorkflow(title)
  const isSecretOfPage = title !== 'GitLab CI'

  test('the workflow sets the server, the project and the key', () => {
    const names = ['QUIRE_URL', 'QUIRE_PROJECT', ...(isSecretOfPage ? ['QUIRE_API_KEY'] : [])]
    expect(Object.keys(env)).toEqual(names)
    expect(lines).toHaveLength(1)
  })

  test('its line reports the job', async () => {
    await runLine(lines.join('\n'), { ...env, ...settings(), ...ci })
    const source = { repository, ref: 'agent/guide' }
    expect(await findJob(id)).toMatchObject({ status: 'completed', model: 'writer-2', source, prLink })
  })
})

test('the lines of the steps report a job', async () => {
  const text = /^## Step by step\n.*?```sh\n(.*?)```/ms.exec(page)?.[1] ?? ''
  const lines = text.trim().split('\n')
  const env = (GITHUB_RUN_ID: string) => ({ ...settings(), ...runsOf('https://github.com'), GITHUB_RUN_ID })
  const [start = '', complete = '', fail = '', ...rest] = lines
  expect(rest).toEqual([])
  await runLine(start, env('1'))
  expect(await findJob('run-1-1-write-docs')).toMatchObject({ status: 'active', model: 'writer-2' })
  await runLine(complete, env('1'))
  const link = 'https://git.example.com/acme/docs/pull/42'
  expect(await findJob('run-1-1-write-docs')).toMatchObject({ status: 'completed', prLink: link })
  await runLine(start, env('2'))
  await runLine(fail, env('2'))
  expect(await findJob('run-2-1-write-docs')).toMatchObject({ status: 'failed', prLink: null })
})

test('the shown script hands over the link of its pull request', async () => {
  const script = /^```sh\n(#!.*?)```/ms.exec(page)?.[1] ?? ''
  expect(script).toContain('QUIRE_PR_LINK_FILE')
  // The page opens the pull request with the program of GitHub.
  writeFileSync(join(program.folder, 'gh'), '#!/bin/sh\necho https://github.com/acme/docs/pull/77\n', { mode: 0o755 })
  const { lines } = readWorkflow('GitHub Actions')
  const ci = { ...cases['GitHub Actions'].ci, GITHUB_RUN_ID: '400' }
  await runLine(lines.join('\n'), { ...settings(), ...ci }, script)
  expect(await findJob('run-400-1-write-docs')).toMatchObject({ prLink: 'https://github.com/acme/docs/pull/77' })
})
