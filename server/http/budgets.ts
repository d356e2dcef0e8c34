import { routes } from '../../generated/operations.ts'
import type { Budget } from '../tenancy/rate-limit.ts'

const limits = routes.flatMap(({ rateLimit }) => rateLimit ?? [])

/** The rate limits of all operations. Several operations may share one. */
export const budgets: readonly Budget[] = [...new Map(limits.map(limit => [limit.budget, limit])).values()]
