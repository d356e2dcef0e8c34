import { type CheckName, checkNames } from './checks.ts'

/** One way in which the server failed a check. */
export interface Failure {
  check: CheckName
  /** undefined = no single operation. */
  operation: string | undefined
  /** A sentence. */
  message: string
  /** A line for a shell with the request, with secrets masked. */
  curl: string | undefined
  status: number | undefined
  requestId: string | undefined
  /** How often the operation failed the check, with this message or another. */
  count: number
}

export interface CheckResult {
  check: CheckName
  passed: number
  failed: number
  /** Why the check, or a part of it, was not done. */
  notDone: string[]
}

/** Collects what the checks found. */
export interface Recorder {
  pass(check: CheckName): void
  fail(failure: Omit<Failure, 'count'>): void
  skip(check: CheckName, reason: string): void
  /** Counts failures of an operation. */
  countFailures(check: CheckName, operation: string): number
  /** The results of the chosen checks, in the order of checks.ts. */
  results(): CheckResult[]
  /** The first failures of each check and operation, in the order of checks.ts. */
  failures(): Failure[]
}

/** Further failures of the same check and operation are only counted. */
const maxShown = 3

export function createRecorder(chosen: ReadonlySet<CheckName>): Recorder {
  const results = new Map(checkNames.map(check => [check, { check, passed: 0, failed: 0, notDone: [] as string[] }]))
  const shown = new Map<string, Failure[]>()
  const counts = new Map<string, number>()
  const of = (check: CheckName) => results.get(check) as CheckResult
  const key = (check: CheckName, operation = '') => `${check} ${operation}`
  return {
    pass(check) {
      of(check).passed++
    },
    fail(failure) {
      const { check, operation } = failure
      if (!chosen.has(check)) return
      of(check).failed++
      const place = key(check, operation)
      counts.set(place, (counts.get(place) ?? 0) + 1)
      const list = shown.get(place) ?? []
      shown.set(place, list)
      const isNew = list.every(({ message }) => message !== failure.message)
      if (isNew && list.length < maxShown) list.push({ ...failure, count: 0 })
    },
    skip(check, reason) {
      const { notDone } = of(check)
      if (!notDone.includes(reason)) notDone.push(reason)
    },
    countFailures: (check, operation) => counts.get(key(check, operation)) ?? 0,
    results: () => [...results.values()].filter(({ check }) => chosen.has(check)),
    failures() {
      const all = [...shown].flatMap(([place, list]) =>
        list.map(failure => ({ ...failure, count: counts.get(place) ?? 0 })),
      )
      return checkNames.flatMap(name => all.filter(({ check }) => check === name))
    },
  }
}
