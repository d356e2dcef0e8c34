import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { AgentSource } from '../../../server/agent/agent-source.ts'
import type { OpenOptions } from '../../../server/agent/change/open-source.ts'
import { type PublishOptions, publishChange } from '../../../server/agent/change/publish-change.ts'
import { serveRepository } from './git-server.ts'
import { commit, createRepository, git, open, source, take } from './repository.ts'

/** Makes a change of a job, ready to be published. */
async function change(from: AgentSource, text: string, options: Partial<OpenOptions> = {}) {
  const opening = await open(from, options)
  appendFileSync(join(opening.opened.tree, 'docs/a.md'), text)
  const taken = await take(opening)
  if (!taken) throw new Error('Nothing changed.')
  const publish = (fields: Partial<PublishOptions> = {}) =>
    publishChange(from, opening.opened, taken, {
      ...opening.settings,
      ...{ jobId: 'aj_1', earlierCommit: null, title: 'Fix\ntypo', body: 'First line\n\n- list' },
      ...fields,
    })
  return { publish, commit: taken.commit }
}

const read = (repository: string, ref: string) => git(repository, ['for-each-ref', '--format=%(objectname)', ref])

function addHook(repository: string, name: string, script: string): void {
  writeFileSync(join(repository, 'hooks', name), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
}

describe('a branch', () => {
  test('is pushed under the name of the job', async () => {
    const repository = createRepository()
    const { publish, commit } = await change(source(repository), 'x')
    expect(await publish()).toEqual({ branch: 'quire/aj_1', prLink: null })
    expect(read(repository, 'refs/heads/quire/aj_1')).toBe(commit)
    expect(read(repository, 'refs/heads/main')).not.toBe(commit)
  })

  test('is not confused with a reference whose name ends like it', async () => {
    const repository = createRepository()
    const other = commit(repository, { 'docs/b.md': 'B' }, { branch: 'other', from: 'main' })
    git(repository, ['update-ref', 'refs/a/refs/heads/quire/aj_1', other])
    expect(await (await change(source(repository), 'x')).publish()).toEqual({ branch: 'quire/aj_1', prLink: null })
  })

  test('is the same after a second push', async () => {
    const repository = createRepository()
    const first = await change(source(repository), 'x')
    await first.publish()
    const second = await change(source(repository), 'x')
    expect(await second.publish()).toEqual({ branch: 'quire/aj_1', prLink: null })
    expect(read(repository, 'refs/heads/quire/aj_1')).toBe(first.commit)
  })

  test('is replaced by another attempt of the job', async () => {
    const repository = createRepository()
    await (await change(source(repository), 'x')).publish()
    const second = await change(source(repository), 'y')
    await second.publish()
    expect(read(repository, 'refs/heads/quire/aj_1')).toBe(second.commit)
  })

  test('goes on from an earlier run, also if a person has added a commit that the run has seen', async () => {
    const repository = createRepository()
    await (await change(source(repository), 'x')).publish()
    commit(repository, { 'docs/b.md': 'B' }, { branch: 'quire/aj_1' })
    const second = await change(source(repository), 'y', { continueFrom: 'quire/aj_1' })
    await second.publish()
    expect(read(repository, 'refs/heads/quire/aj_1')).toBe(second.commit)
    expect(git(repository, ['rev-list', '--count', 'main..quire/aj_1'])).toBe('3')
  })

  test.each([undefined, 'quire/aj_1'])(
    'stays if a person has pushed to it meanwhile (continued from %s)',
    async continueFrom => {
      const repository = createRepository()
      await (await change(source(repository), 'x')).publish()
      const second = await change(source(repository), 'y', { continueFrom })
      const persons = commit(repository, { 'docs/b.md': 'B' }, { branch: 'quire/aj_1' })
      await expect(second.publish()).rejects.toMatchObject({
        code: 'push_refused',
        message: expect.stringContaining('Someone else has pushed to the branch quire/aj_1'),
      })
      expect(read(repository, 'refs/heads/quire/aj_1')).toBe(persons)
    },
  )

  test('says why a server refused it', async () => {
    const repository = createRepository()
    addHook(repository, 'pre-receive', 'echo "Branches of agents are not allowed here."; exit 1')
    await expect((await change(source(repository), 'x')).publish()).rejects.toMatchObject({
      code: 'push_refused',
      message: 'The repository refused the push: pre-receive hook declined; Branches of agents are not allowed here.',
    })
  })

  test('is refused without a word about the paths of the server', async () => {
    const repository = createRepository()
    const { publish } = await change(source(repository), 'x')
    git(repository, ['config', 'core.repositoryFormatVersion', '99'])
    await expect(publish()).rejects.toMatchObject({
      code: 'push_refused',
      message: expect.not.stringContaining(repository),
    })
  })
})

describe('AGit', () => {
  function createForge() {
    const repository = createRepository()
    git(repository, ['config', 'receive.procReceiveRefs', 'refs/for'])
    git(repository, ['config', 'receive.advertisePushOptions', 'true'])
    addHook(
      repository,
      'proc-receive',
      `exec ${process.execPath} ${resolve(import.meta.dirname, 'fixtures/proc-receive.mjs')}`,
    )
    const readPushes = () =>
      readFileSync(join(repository, 'agit.jsonl'), 'utf8')
        .trim()
        .split('\n')
        .map(line => JSON.parse(line))
    return { repository, readPushes, agit: source(repository, { forge: 'agit', isDraft: true }) }
  }
  const published = { branch: 'refs/pull/1/head', prLink: 'https://forge.example.com/team/docs/pulls/1' }

  test('makes a pull request and no branch', async () => {
    const { repository, readPushes, agit } = createForge()
    const { publish, commit } = await change(agit, 'x')
    expect(await publish()).toEqual(published)
    expect(readPushes()).toEqual([
      {
        ref: 'refs/for/main',
        commit,
        options: { topic: 'quire/aj_1', title: 'WIP: Fix typo', description: 'First line<br><br>- list' },
      },
    ])
    expect(read(repository, 'refs/heads/')).toBe(git(repository, ['rev-parse', 'main']))
  })

  test('finds the pull request of a commit that is there already', async () => {
    const { repository, agit, readPushes } = createForge()
    await (await change(agit, 'x')).publish()
    const { url } = await serveRepository(repository)
    const second = await change({ ...agit, url }, 'x')
    expect(await second.publish()).toEqual({ branch: 'refs/pull/1/head', prLink: `${url.replace('.git', '')}/pulls/1` })
    expect(readPushes()).toHaveLength(1)
    expect(read(repository, 'refs/pull/2/head')).toBe('')
  })

  test('replaces what an earlier attempt pushed', async () => {
    const { repository, agit } = createForge()
    const first = await change(agit, 'x')
    await first.publish()
    const second = await change(agit, 'y')
    expect(await second.publish({ earlierCommit: first.commit })).toEqual(published)
    expect(read(repository, 'refs/pull/1/head')).toBe(second.commit)
  })

  test('keeps what a person added between two attempts', async () => {
    const { repository, agit } = createForge()
    const first = await change(agit, 'x')
    await first.publish()
    git(repository, ['branch', 'x', 'refs/pull/1/head'])
    const persons = commit(repository, { 'docs/b.md': 'B' }, { branch: 'x' })
    git(repository, ['update-ref', 'refs/pull/1/head', persons])
    git(repository, ['branch', '-D', 'x'])
    for (const earlierCommit of [first.commit, null])
      await expect((await change(agit, 'y')).publish({ earlierCommit })).rejects.toMatchObject({
        code: 'push_refused',
        message: expect.stringContaining('Someone else'),
      })
    expect(read(repository, 'refs/pull/1/head')).toBe(persons)
  })

  test('goes on from the pull request of an earlier run, unless a person has pushed to it meanwhile', async () => {
    const { repository, agit } = createForge()
    const { branch } = await (await change(agit, 'x')).publish()
    const second = await change(agit, 'y', { continueFrom: branch })
    expect(await second.publish()).toEqual(published)
    const third = await change(agit, 'z', { continueFrom: branch })
    const persons = commit(repository, { 'docs/b.md': 'B' }, { branch: 'x', from: 'main' })
    git(repository, ['update-ref', 'refs/pull/1/head', persons])
    await expect(third.publish()).rejects.toMatchObject({
      code: 'push_refused',
      message: expect.stringContaining('Someone else'),
    })
    expect(read(repository, 'refs/pull/1/head')).toBe(persons)
  })

  test('pushes a branch to a server without push options', async () => {
    const repository = createRepository()
    const { publish, commit } = await change(source(repository, { forge: 'agit' }), 'x')
    expect(await publish()).toEqual({ branch: 'quire/aj_1', prLink: null })
    expect(git(repository, ['for-each-ref', '--format=%(refname)'])).toBe('refs/heads/main\nrefs/heads/quire/aj_1')
    expect(read(repository, 'refs/heads/quire/aj_1')).toBe(commit)
  })
})

describe('GitLab', () => {
  const print = `for i in 0 1 2 3 4; do eval "printf '%s\\\\n' \\"\\$GIT_PUSH_OPTION_$i\\"" >> options; done`
  const link = 'https://gitlab.example.com/team/docs/-/merge_requests/3'

  test('makes a merge request by push options', async () => {
    const repository = createRepository()
    git(repository, ['config', 'receive.advertisePushOptions', 'true'])
    addHook(repository, 'post-receive', `${print}\necho "View merge request for quire/aj_1:"\necho "  ${link}"`)
    const { publish, commit } = await change(source(repository, { forge: 'gitlab', isDraft: true }), 'x')
    expect(await publish()).toEqual({ branch: 'quire/aj_1', prLink: link })
    expect(readFileSync(join(repository, 'options'), 'utf8').split('\n')).toEqual([
      ...['merge_request.create', 'merge_request.target=main', 'merge_request.title=Fix typo'],
      ...['merge_request.description=First line\\n\\n- list', 'merge_request.draft', ''],
    ])
    expect(read(repository, 'refs/heads/quire/aj_1')).toBe(commit)
  })

  test('takes no address of another kind from a server', async () => {
    const repository = createRepository()
    git(repository, ['config', 'receive.advertisePushOptions', 'true'])
    addHook(
      repository,
      'post-receive',
      'echo "javascript:alert(1)/-/merge_requests/3"; head -c 3000000 /dev/zero | tr "\\0" x; echo',
    )
    const { publish } = await change(source(repository, { forge: 'gitlab' }), 'x')
    expect(await publish()).toEqual({ branch: 'quire/aj_1', prLink: null })
  })

  test('pushes without push options to a server that has none', async () => {
    const repository = createRepository()
    const { publish, commit } = await change(source(repository, { forge: 'gitlab' }), 'x')
    expect(await publish()).toEqual({ branch: 'quire/aj_1', prLink: null })
    expect(read(repository, 'refs/heads/quire/aj_1')).toBe(commit)
  })

  test('targets the branch of the job', async () => {
    const repository = createRepository()
    git(repository, ['branch', 'next', 'main'])
    git(repository, ['config', 'receive.advertisePushOptions', 'true'])
    addHook(repository, 'post-receive', print)
    const { publish } = await change(source(repository, { forge: 'gitlab' }), 'x', { branch: 'next' })
    await publish()
    expect(readFileSync(join(repository, 'options'), 'utf8')).toContain('merge_request.target=next\n')
  })
})

test('runs no hook of the job’s own repository', async () => {
  const repository = createRepository()
  const from = source(repository)
  const opening = await open(from)
  const mark = join(opening.settings.root, 'mark')
  appendFileSync(join(opening.opened.tree, 'docs/a.md'), 'x')
  git(opening.opened.bare, ['config', 'core.hooksPath', join(opening.settings.root, 'hooks')])
  mkdirSync(join(opening.settings.root, 'hooks'))
  for (const hook of ['pre-push', 'reference-transaction', 'post-index-change'])
    writeFileSync(join(opening.settings.root, 'hooks', hook), `#!/bin/sh\ntouch ${mark}\n`, { mode: 0o755 })
  const taken = await take(opening)
  if (!taken) throw new Error('Nothing changed.')
  await publishChange(from, opening.opened, taken, {
    ...opening.settings,
    jobId: 'aj_1',
    earlierCommit: null,
    title: 'T',
    body: '',
  })
  expect(existsSync(mark)).toBe(false)
})
