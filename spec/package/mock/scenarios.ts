/** What happens to the requests and jobs of a scenario. */
export interface Scenario {
  /** One sentence for people. */
  summary: string
  /** The outcomes of exports, in turn. */
  exportOutcomes: readonly ('completed' | 'failed')[]
  queuedSeconds: number
  runningSeconds: number
  /** Pages of the exported site. */
  sitePages: number
  /** Exports of others of the organization that wait in the queue all the time. */
  otherQueuedExports: number
  linkTtlSeconds: number
  /** Analytics requests that were made before, of 100 in an hour. */
  analyticsUsed: number
  /** Pages with visitors. */
  visitedPages: number
  /** Each answer takes a time between these two. */
  delayMs: readonly [least: number, most: number]
  /** The part of the answers that are a 500, from 0 to 1. */
  faultRate: number
}

const usual: Scenario = {
  summary: 'Everything works. An export takes 12 seconds, an agent job 10.',
  exportOutcomes: ['completed'],
  queuedSeconds: 2,
  runningSeconds: 10,
  sitePages: 526,
  otherQueuedExports: 0,
  linkTtlSeconds: 3600,
  analyticsUsed: 0,
  visitedPages: 120,
  delayMs: [0, 0],
  faultRate: 0,
}

/** The scenarios of the mock by name. */
export const scenarios = {
  usual,
  mixed: {
    ...usual,
    summary: 'A bit of everything: every second export fails, answers take up to a second, some are a 500.',
    exportOutcomes: ['completed', 'failed'],
    linkTtlSeconds: 30,
    analyticsUsed: 80,
    delayMs: [50, 1000],
    faultRate: 0.1,
  },
  'failing-exports': {
    ...usual,
    summary: 'Exports fail before they are half done.',
    exportOutcomes: ['failed'],
  },
  'long-exports': {
    ...usual,
    summary: 'An export waits a minute and runs for five.',
    queuedSeconds: 60,
    runningSeconds: 300,
    sitePages: 12_000,
  },
  'full-queue': {
    ...usual,
    summary: 'The queue is full, so a start is a 429.',
    otherQueuedExports: 100,
  },
  'short-links': {
    ...usual,
    summary: 'Exports are completed at once, and links to bundles expire after 5 seconds.',
    queuedSeconds: 0,
    runningSeconds: 0,
    linkTtlSeconds: 5,
  },
  'rate-limit': {
    ...usual,
    summary: 'The fourth analytics request is a 429, and one more is allowed each 36 seconds.',
    analyticsUsed: 97,
  },
  'no-visitors': {
    ...usual,
    summary: 'The project has no visitors yet.',
    visitedPages: 0,
  },
  slow: {
    ...usual,
    summary: 'Each answer takes 2 to 5 seconds.',
    delayMs: [2000, 5000],
  },
  faults: {
    ...usual,
    summary: 'One answer in four is a 500.',
    faultRate: 0.25,
  },
} satisfies Record<string, Scenario>

export type ScenarioName = keyof typeof scenarios

export const scenarioNames = Object.keys(scenarios) as ScenarioName[]

/** Whether a scenario has this name. */
export function isScenario(name: string): name is ScenarioName {
  return Object.hasOwn(scenarios, name)
}

/** A sentence about each scenario. */
export const summaries = Object.fromEntries(scenarioNames.map(name => [name, scenarios[name].summary])) as Record<
  ScenarioName,
  string
>
