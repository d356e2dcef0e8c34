import type { Command } from 'commander'

/**
 * Returns a loader for each command of the program, in the order and the groups of its help. A command loads its modules only
 * when it is called, to start faster.
 */
export function createCommandLoaders(program: Command): Map<string, () => Promise<Command>> {
  /** For the commands that read the flags of all. */
  const loadAll = () => Promise.all([...loaders.values()].map(load => load()))
  const groups: Record<string, Record<string, () => Promise<Command>>> = {
    'Run a server:': {
      init: async () => (await import('./init.ts')).initCommand(),
      serve: async () => (await import('./serve.ts')).serveCommand(),
      demo: async () => (await import('./demo.ts')).demoCommand(),
    },
    'Export sites and host them:': {
      export: async () => (await import('./export.ts')).exportCommand(),
      login: async () => (await import('./login.ts')).loginCommand(),
      print: async () => (await import('./print-bundle.ts')).printCommand(),
      host: async () => (await import('./host.ts')).hostCommand(),
      docs: async () => (await import('./docs.ts')).docsCommand(),
      sites: async () => (await import('./sites.ts')).sitesCommand(),
      exports: async () => (await import('./exports.ts')).exportsCommand(),
      links: async () => (await import('./links.ts')).linksCommand(),
      lost: async () => (await import('./lost.ts')).lostCommand(),
    },
    'Visitors and agents:': {
      visits: async () => (await import('./visits.ts')).visitsCommand(),
      'agent-jobs': async () => (await import('./agent-jobs.ts')).agentJobsCommand(),
    },
    'Organizations and access:': {
      orgs: async () => (await import('./orgs.ts')).orgsCommand(),
      projects: async () => (await import('./projects.ts')).projectsCommand(),
      keys: async () => (await import('./keys.ts')).keysCommand(),
      dashboard: async () => (await import('./dashboard.ts')).dashboardCommand(),
      audit: async () => (await import('./audit.ts')).auditCommand(),
      webhooks: async () => (await import('./webhooks.ts')).webhooksCommand(),
    },
    'Operate:': {
      doctor: async () => (await import('./doctor.ts')).doctorCommand(loadAll),
      ready: async () => (await import('./ready.ts')).readyCommand(),
      backup: async () => (await import('./backup.ts')).backupCommand(),
      restore: async () => (await import('./restore.ts')).restoreCommand(),
      upgrade: async () => (await import('./upgrade.ts')).upgradeCommand(),
      downgrade: async () => (await import('./downgrade.ts')).downgradeCommand(),
      migrate: async () => (await import('./migrate.ts')).migrateCommand(),
      'self-update': async () => (await import('./self-update.ts')).selfUpdateCommand(),
    },
    'About this program:': {
      version: async () => (await import('./version.ts')).versionCommand(),
      licenses: async () => (await import('./licenses.ts')).licensesCommand(),
      completion: async () => (await import('./completion.ts')).completionCommand(program, loadAll),
    },
  }
  const loaders = new Map(
    Object.entries(groups).flatMap(([title, commands]) =>
      Object.entries(commands).map(([name, load]) => [name, async () => (await load()).helpGroup(title)] as const),
    ),
  )
  return loaders
}
