import type { Command } from 'commander'

/**
 * Returns a loader for each command of the program, in the order of its help. A command loads its modules only when it is called,
 * to start faster.
 */
export function createCommandLoaders(program: Command): Map<string, () => Promise<Command>> {
  /** For the commands that read the flags of all. */
  const loadAll = () => Promise.all([...loaders.values()].map(load => load()))
  const loaders = new Map<string, () => Promise<Command>>(
    Object.entries({
      init: async () => (await import('./init.ts')).initCommand(),
      serve: async () => (await import('./serve.ts')).serveCommand(),
      demo: async () => (await import('./demo.ts')).demoCommand(),
      export: async () => (await import('./export.ts')).exportCommand(),
      login: async () => (await import('./login.ts')).loginCommand(),
      print: async () => (await import('./print-bundle.ts')).printCommand(),
      exports: async () => (await import('./exports.ts')).exportsCommand(),
      host: async () => (await import('./host.ts')).hostCommand(),
      docs: async () => (await import('./docs.ts')).docsCommand(),
      lost: async () => (await import('./lost.ts')).lostCommand(),
      visits: async () => (await import('./visits.ts')).visitsCommand(),
      'agent-jobs': async () => (await import('./agent-jobs.ts')).agentJobsCommand(),
      orgs: async () => (await import('./orgs.ts')).orgsCommand(),
      projects: async () => (await import('./projects.ts')).projectsCommand(),
      sites: async () => (await import('./sites.ts')).sitesCommand(),
      dashboard: async () => (await import('./dashboard.ts')).dashboardCommand(),
      audit: async () => (await import('./audit.ts')).auditCommand(),
      links: async () => (await import('./links.ts')).linksCommand(),
      webhooks: async () => (await import('./webhooks.ts')).webhooksCommand(),
      keys: async () => (await import('./keys.ts')).keysCommand(),
      backup: async () => (await import('./backup.ts')).backupCommand(),
      restore: async () => (await import('./restore.ts')).restoreCommand(),
      ready: async () => (await import('./ready.ts')).readyCommand(),
      doctor: async () => (await import('./doctor.ts')).doctorCommand(loadAll),
      migrate: async () => (await import('./migrate.ts')).migrateCommand(),
      upgrade: async () => (await import('./upgrade.ts')).upgradeCommand(),
      downgrade: async () => (await import('./downgrade.ts')).downgradeCommand(),
      'self-update': async () => (await import('./self-update.ts')).selfUpdateCommand(),
      version: async () => (await import('./version.ts')).versionCommand(),
      licenses: async () => (await import('./licenses.ts')).licensesCommand(),
      completion: async () => (await import('./completion.ts')).completionCommand(program, loadAll),
    }),
  )
  return loaders
}
