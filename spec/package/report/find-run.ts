/** The variables of a CI job. */
export type Environment = Readonly<Record<string, string | undefined>>

/** What a CI job knows about itself; undefined = it does not say. */
export interface Run {
  /** An id that is the same in each step of the job. The jobs of a matrix of GitHub Actions share it. */
  id: string | undefined
  repository: string | undefined
  /** The branch. */
  ref: string | undefined
  /** The pull request that the job runs for. */
  prLink: string | undefined
}

/**
 * Reads the variables of GitHub Actions, of Forgejo and Gitea Actions, which have the same names, and of GitLab CI.
 * https://docs.github.com/actions/reference/workflows-and-actions/variables
 * https://docs.gitlab.com/ci/variables/predefined_variables/
 */
export function findRun(env: Environment): Run {
  if (env.GITLAB_CI !== undefined) return findGitLabRun(env)
  if (env.GITHUB_ACTIONS !== undefined || env.GITEA_ACTIONS !== undefined || env.FORGEJO_ACTIONS !== undefined) {
    return findActionsRun(env)
  }
  return { id: undefined, repository: undefined, ref: undefined, prLink: undefined }
}

function findActionsRun(env: Environment): Run {
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: name, GITHUB_REF = '' } = env
  // The server of Gitea ends with a slash.
  const repository = server && name ? `${server.replace(/\/+$/, '')}/${name}` : undefined
  const pull = /^refs\/pull\/(\d+)\//.exec(GITHUB_REF)?.[1]
  // Forgejo and Gitea have their pull requests at /pulls.
  const folder = env.GITEA_ACTIONS === undefined && env.FORGEJO_ACTIONS === undefined ? 'pull' : 'pulls'
  return {
    id: join('run', env.GITHUB_RUN_ID, env.GITHUB_RUN_ATTEMPT, env.GITHUB_JOB),
    repository,
    ref: env.GITHUB_HEAD_REF || env.GITHUB_REF_NAME || undefined,
    prLink: repository && pull ? `${repository}/${folder}/${pull}` : undefined,
  }
}

function findGitLabRun(env: Environment): Run {
  const { CI_PROJECT_URL: repository, CI_MERGE_REQUEST_IID: merge } = env
  const project = env.CI_MERGE_REQUEST_PROJECT_URL ?? repository
  return {
    id: join('job', env.CI_JOB_ID),
    repository,
    ref: env.CI_MERGE_REQUEST_SOURCE_BRANCH_NAME || env.CI_COMMIT_REF_NAME || undefined,
    prLink: project && merge ? `${project}/-/merge_requests/${merge}` : undefined,
  }
}

/** Joins the parts of an id, which may have only letters, digits, dots, underscores, tildes and hyphens, 200 of them. */
function join(kind: string, first: string | undefined, ...more: (string | undefined)[]): string | undefined {
  if (first === undefined) return undefined
  return [kind, first, ...more.filter(part => part)]
    .join('-')
    .replaceAll(/[^A-Za-z0-9._~-]/g, '_')
    .slice(0, 200)
}
