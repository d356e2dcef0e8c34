import type { VisitorReader } from '../../../server/analytics/unique-visitors.ts'
import type { Deps } from '../../../server/operations/deps.ts'
import type { ExtensionDeps } from '../../../server/operations/extensions/deps.ts'
import {
  type CountedRequests,
  countRequest,
  createByteLimit,
  type RateLimits,
} from '../../../server/tenancy/rate-limit.ts'
import { createViewLimit } from '../../../server/tenancy/view-limit.ts'
import { world } from './access.ts'
import { createAgentJobMemory } from './agent-jobs.ts'
import { AgentRunMemory, createAgentDeps } from './agent-runs.ts'
import { createMockLinks } from './bundle-links.ts'
import type { Clock } from './clock.ts'
import { createExportMemory } from './export-jobs.ts'
import { createTransactions } from './extensions.ts'
import { createRandom, pickDigits } from './random.ts'
import type { Scenario } from './scenarios.ts'
import { hashText } from './sha256.ts'
import { createVisits } from './visits.ts'
import { createVisitsReceiver, maxVisitsBytes } from './visits-receiver.ts'
import { createWebhookMemory } from './webhooks.ts'

/** Megabytes of log lines an hour, as the server has without other settings. */
const visitsHourMb = 1024

/** What the mock keeps instead of a database. All scenarios share it, so a job outlives a change of the scenario. */
export interface Memory {
  depsOf(scenario: Scenario): Deps & ExtensionDeps
  limitsOf(scenario: Scenario): RateLimits
}

const plainProject = { name: 'Docs', visitorSaltRotation: 'never', visitorRules: 2 } as const
const plainSite = { origin: null, removal: null, allowedOrigins: [], signingKeyId: null, loginAt: null }

export function createMemory(clock: Clock, seed: string): Memory {
  const { organizationId, projectId, domain } = world
  const createdAt = clock.now()
  const project = { ...plainProject, id: projectId, organizationId, createdAt }
  const exportMemory = createExportMemory(organizationId, clock.now)
  const agentJobs = createAgentJobMemory(projectId, clock.now)
  const agentRuns = new AgentRunMemory(agentJobs, clock.now)
  const random = createRandom(`${seed} ids`)
  const { changes: webhooks, ...webhookMemory } = createWebhookMemory(organizationId, {
    now: clock.now,
    random: createRandom(`${seed} webhooks`),
  })
  const atomically = createTransactions({
    agentJobs,
    agentRuns: agentRuns.changes,
    exportJobs: exportMemory.changes,
    webhooks,
  })
  const agentDeps = createAgentDeps(agentJobs, agentRuns, {
    organizationId,
    createId: () => `aj_${pickDigits(random, 16)}`,
  })
  const visitsReceiver = createVisitsReceiver()
  const visits = new Map<number, VisitorReader>()
  const limits = new Map<Scenario, RateLimits>()

  function visitsOf({ visitedPages }: Scenario): VisitorReader {
    const known = visits.get(visitedPages) ?? createVisits(visitedPages, { seed, now: createdAt })
    visits.set(visitedPages, known)
    return known
  }

  function limitsOf(scenario: Scenario): RateLimits {
    const known = limits.get(scenario) ?? createLimits(scenario.analyticsUsed, clock.now())
    limits.set(scenario, known)
    return known
  }

  return {
    depsOf: scenario => ({
      projects: {
        findOwned: (organization, id) => (organization === organizationId && id === projectId ? project : undefined),
      },
      sites: {
        findOwned: (organization, name) =>
          organization === organizationId && name === domain
            ? { domain, projectId, ...plainSite, createdAt }
            : undefined,
      },
      ...agentDeps,
      rateLimits: limitsOf(scenario),
      visits: visitsOf(scenario),
      exportJobs: { ...exportMemory.in(scenario), listPage: exportMemory.listPage },
      ...webhookMemory,
      visitsReceiver,
      maxVisitsBytes,
      visitBytes: createByteLimit(limitsOf(scenario), visitsHourMb, clock.now),
      viewLimit: createViewLimit(clock.now),
      checkVercel: undefined,
      atomically,
      bundles: { place: 'on the disk of the server', check: () => 'sound', remove: () => undefined },
      bundleLinks: createMockLinks({ seed, ttlSeconds: scenario.linkTtlSeconds }),
      maxQueuedExports: 100,
      wakeRunner: () => undefined,
      now: clock.now,
      createJobId: () => `se_${pickDigits(random, 16)}`,
      hashText,
    }),
    limitsOf,
  }
}

/** @param usedBefore requests that each budget has counted in equal distances before `createdAt` */
function createLimits(usedBefore: number, createdAt: number): RateLimits {
  const requests = new Map<string, CountedRequests>()
  return {
    take(organizationId, budget, now) {
      const name = `${organizationId} ${budget.budget}`
      const windowMs = budget.windowSeconds * 1000
      const before = Array.from(
        { length: usedBefore },
        (_, i) => createdAt - windowMs + ((i + 1) * windowMs) / budget.quota,
      )
      const { next, ...taken } = countRequest(requests.get(name) ?? before, budget, now())
      if (next) requests.set(name, next)
      return taken
    },
  }
}
