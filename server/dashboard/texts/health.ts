import { showNumber, showNumberOf } from './numbers.ts'

export const healthTexts = {
  title: 'Health',
  renewed: 'This page renews itself every 10 seconds.',
  disk: 'Disk',
  free: (bytes: string) => `${bytes} free`,
  diskStates: { good: 'enough', warn: 'little', bad: 'almost full' },
  diskHint: 'The disk with the data of this server.',
  diskProblem: (state: string, bytes: string) =>
    `The disk is ${state === 'little' ? 'filling up' : state}: ${bytes} free.`,
  diskRemedy: 'Free some space: delete old exports, or set --export-retention-days.',
  database: 'Database',
  databaseStates: { good: 'writable', bad: 'cannot be written' },
  databaseProblem: 'The database cannot be written.',
  databaseRemedy: 'Look at the log of the server, or run npx quire doctor beside it.',
  browser: 'Browser',
  browserStates: { good: 'found', bad: 'not found' },
  browserHint: 'Exports check their bundle with it, and render pages that need scripts.',
  browserProblem: 'There is no browser.',
  browserRemedy: (command: string) => `Exports work only in part. On the machine of the server: ${command}`,
  exports: 'Exports',
  openExports: (running: number, queued: number) => `${showNumber(running)} running, ${showNumber(queued)} queued`,
  budget: (name: string) => `Rate limit: ${name}`,
  used: (used: number, quota: number) => `${showNumber(used)} of ${showNumber(quota)}`,
  usedHint: (minutes: number) =>
    `requests used in the last ${showNumberOf(minutes, 'minute')}. This dashboard uses none.`,
  budgets: { analytics: 'visitors' } as Readonly<Record<string, string>>,
  budgetProblem: (name: string, minutes: number) =>
    `The rate limit of ${name} is used up, so the API refuses requests. It counts the last ${showNumberOf(minutes, 'minute')}: ask less often.`,
  logs: 'Followed logs',
  logProblem: (file: string) =>
    `The followed log ${file} is missing: start its web server, or correct --follow-log or --follow-log-by-host.`,
  logStates: { good: 'readable', bad: 'missing' },
  lastWritten: 'last written',
}
