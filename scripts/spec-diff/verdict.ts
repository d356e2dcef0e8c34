import { OperatorError } from '../../server/base/operator-error.ts'
import type { Change } from './change.ts'

/** What the changes demand of the version of the document. */
export interface Verdict {
  released: string
  current: string
  /** What to do before the document may be released; undefined = nothing. */
  problem: string | undefined
}

/**
 * Breaking changes need a higher major version, and no version may fall.
 *
 * @throws {OperatorError} if a version is not three numbers with dots
 */
export function judgeVersion(changes: readonly Change[], versions: { released: string; current: string }): Verdict {
  const { released, current } = versions
  const [from, to] = [parseVersion(released, 'spec/released/'), parseVersion(current, 'spec/openapi.yaml')]
  const count = changes.filter(({ level }) => level === 'breaking').length
  return { released, current, problem: findProblem({ from, to, count }) }
}

type Version = [major: number, minor: number, patch: number]

function findProblem({ from, to, count }: { from: Version; to: Version; count: number }): string | undefined {
  if (compare(to, from) < 0) {
    return `The version ${to.join('.')} is lower than the released version ${from.join('.')}. Raise info.version in spec/openapi.yaml.`
  }
  if (count === 0 || to[0] > from[0]) return undefined
  const changes = count === 1 ? '1 breaking change needs' : `${count} breaking changes need`
  return `${changes} a new major version. Undo what breaks, or set info.version in spec/openapi.yaml to ${from[0] + 1}.0.0.`
}

function parseVersion(text: string, place: string): Version {
  const [, major, minor, patch] = /^(\d+)\.(\d+)\.(\d+)$/.exec(text) ?? []
  if (patch === undefined) {
    throw new OperatorError(`info.version in ${place} is ${JSON.stringify(text)}. Write three numbers, such as 2.0.0.`)
  }
  return [Number(major), Number(minor), Number(patch)]
}

function compare(a: Version, b: Version): number {
  return a[0] - b[0] || a[1] - b[1] || a[2] - b[2]
}
