/** Where the documentation is served. */
export const docsPath = '/docs'

/** A written page: a Markdown file of the repository. */
export interface WrittenPage {
  file: 'README.md' | 'CHANGELOG.md' | `server/docs/pages/${string}.md`
  /** Below `docsPath`. */
  path: string
  title: string
  group: PageGroup
}

export type PageGroup = 'Start' | 'Use' | 'Reference' | 'Extensions' | 'Contribute'

/** The groups of the navigation, in order. */
export const pageGroups: readonly PageGroup[] = ['Start', 'Use', 'Reference', 'Extensions', 'Contribute']

const written = (name: string, title: string, group: PageGroup): WrittenPage => ({
  file: `server/docs/pages/${name}.md`,
  path: `/${name}`,
  title,
  group,
})

/** Every written page, in the order of the navigation. A file in `pages/` that is missing here fails a test. */
export const writtenPages: readonly WrittenPage[] = [
  { file: 'README.md', path: '/start', title: 'Get started', group: 'Start' },
  { file: 'CHANGELOG.md', path: '/changelog', title: 'Changelog', group: 'Start' },
  written('operate', 'Operate a server', 'Use'),
  written('monitor', 'Monitor a server', 'Use'),
  written('scale', 'Several servers', 'Use'),
  written('dashboard', 'Dashboard', 'Use'),
  written('binary', 'Single binary', 'Use'),
  written('releases', 'Releases', 'Use'),
  written('visitors', 'Count visitors', 'Use'),
  written('log-formats', 'Log formats', 'Use'),
  written('receive-visits', 'Receive visits', 'Use'),
  written('export', 'Export a site', 'Use'),
  written('host', 'Host a site', 'Use'),
  written('agents', 'For agents', 'Use'),
  written('signed-bundles', 'Signed bundles', 'Use'),
  written('agent-jobs', 'Agent jobs', 'Use'),
  written('run-agents', 'Let agents work', 'Use'),
  written('report-from-ci', 'Report from CI', 'Use'),
  written('webhooks', 'Webhooks', 'Use'),
  written('client-and-mock', 'Client and mock', 'Use'),
  written('settings', 'Settings', 'Reference'),
  written('contribute', 'Contribute', 'Contribute'),
  written('architecture', 'Architecture', 'Contribute'),
  written('decisions', 'Decisions', 'Contribute'),
]

/** Written pages link to the source file of an operation, for repository viewers; here, the link leads to its reference page. */
const operationFiles: Record<string, string> = {
  'spec/paths/agent-job.yaml': '/operations/getAgentJob',
  'spec/paths/visitors.yaml': '/operations/getUniqueVisitors',
  'spec/paths/static-export-jobs.yaml': '/operations/startStaticExportJob',
  'spec/paths/static-export-job.yaml': '/operations/getStaticExportJob',
  'spec/paths/static-export-bundle.yaml': '/operations/generateStaticExportBundle',
  'spec/extensions/paths/visits.yaml': '/extensions/sendVisits',
  'spec/extensions/paths/agent-job.yaml': '/extensions/reportAgentJob',
}

/** Finds the page that shows a file of the repository, as a path below `docsPath`; undefined if there is none. */
export function findPagePath(file: string): string | undefined {
  return operationFiles[file] ?? writtenPages.find(page => page.file === file)?.path
}

/** Finds the source file of a reference page, by its path below `docsPath`; undefined if no link of a written page needs it. */
export function findSourceFile(path: string): string | undefined {
  return Object.entries(operationFiles).find(([, page]) => page === path)?.[0]
}
