import { expect, test } from 'vitest'
import { findRun } from '../../../spec/package/report/find-run.ts'

const actions = {
  GITHUB_SERVER_URL: 'https://github.com',
  GITHUB_REPOSITORY: 'acme/docs',
  GITHUB_REF: 'refs/heads/main',
  GITHUB_REF_NAME: 'main',
  GITHUB_HEAD_REF: '',
  GITHUB_RUN_ID: '9876543210',
  GITHUB_RUN_ATTEMPT: '2',
  GITHUB_JOB: 'write docs',
}

test.each([
  [
    'GitHub Actions on a branch',
    { GITHUB_ACTIONS: 'true', ...actions },
    { id: 'run-9876543210-2-write_docs', repository: 'https://github.com/acme/docs', ref: 'main', prLink: undefined },
  ],
  [
    'GitHub Actions on a pull request',
    { GITHUB_ACTIONS: 'true', ...actions, GITHUB_REF: 'refs/pull/42/merge', GITHUB_HEAD_REF: 'agent/guide' },
    { ref: 'agent/guide', prLink: 'https://github.com/acme/docs/pull/42' },
  ],
  [
    'Forgejo Actions on a pull request',
    {
      GITHUB_ACTIONS: 'true',
      FORGEJO_ACTIONS: 'true',
      ...actions,
      GITHUB_SERVER_URL: 'https://codeberg.org',
      GITHUB_REF: 'refs/pull/7/head',
    },
    { repository: 'https://codeberg.org/acme/docs', prLink: 'https://codeberg.org/acme/docs/pulls/7' },
  ],
  [
    'Gitea Actions without an attempt, whose server ends with a slash',
    {
      GITHUB_ACTIONS: 'true',
      GITEA_ACTIONS: 'true',
      ...actions,
      GITHUB_SERVER_URL: 'https://gitea.example.com/',
      GITHUB_RUN_ATTEMPT: undefined,
    },
    { id: 'run-9876543210-write_docs', repository: 'https://gitea.example.com/acme/docs', ref: 'main' },
  ],
  [
    'a job with a long name',
    { GITHUB_ACTIONS: 'true', ...actions, GITHUB_JOB: 'é'.repeat(300) },
    { id: `run-9876543210-2-${'_'.repeat(183)}`.slice(0, 200) },
  ],
  [
    'GitLab CI on a branch',
    { GITLAB_CI: 'true', CI_PROJECT_URL: 'https://gitlab.com/acme/docs', CI_COMMIT_REF_NAME: 'main', CI_JOB_ID: '123' },
    { id: 'job-123', repository: 'https://gitlab.com/acme/docs', ref: 'main', prLink: undefined },
  ],
  [
    'GitLab CI on a merge request of a fork',
    {
      GITLAB_CI: 'true',
      CI_PROJECT_URL: 'https://gitlab.com/fork/docs',
      CI_MERGE_REQUEST_PROJECT_URL: 'https://gitlab.com/acme/docs',
      CI_MERGE_REQUEST_IID: '5',
      CI_MERGE_REQUEST_SOURCE_BRANCH_NAME: 'agent/guide',
      CI_COMMIT_REF_NAME: 'refs/merge-requests/5/head',
      CI_JOB_ID: '124',
    },
    { ref: 'agent/guide', prLink: 'https://gitlab.com/acme/docs/-/merge_requests/5' },
  ],
  ['no CI', {}, { id: undefined, repository: undefined, ref: undefined, prLink: undefined }],
])('%s', (_, env, run) => {
  expect(findRun(env)).toMatchObject(run)
})
