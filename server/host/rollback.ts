import { OperatorError } from '../base/operator-error.ts'
import { showName } from '../unpack/archive-error.ts'
import type { HostFolder } from './versions/host-folder.ts'
import type { Version } from './versions/version.ts'

export interface Rollback {
  from: string | null
  to: Version
}

/**
 * Makes another version the current one. A running host serves it within a second. Versions that are newer than it are held: they
 * are not served again when the source still offers them.
 *
 * @param wanted id or label of a version; undefined = the one before the current one.
 * @throws {OperatorError} when there is no such version.
 */
export async function rollBack(folder: HostFolder, wanted: string | undefined): Promise<Rollback> {
  const versions = await folder.list()
  const state = await folder.readState()
  const { current, held } = state
  const to = wanted === undefined ? findEarlier(versions, current) : findNamed(versions, wanted)
  const newer = versions
    .slice(
      0,
      versions.findIndex(({ id }) => id === to.id),
    )
    .map(({ id }) => id)
  // A rollback to a held version takes an earlier rollback back.
  const before = held.includes(to.id) ? [] : held
  const next = [...new Set([...before, ...newer])].filter(id => versions.some(each => each.id === id))
  await folder.writeState({ ...state, current: to.id, held: next })
  return { from: current, to }
}

function findEarlier(versions: readonly Version[], current: string | null): Version {
  const at = versions.findIndex(({ id }) => id === current)
  const found = versions[at + 1]
  if (!found) throw new OperatorError('There is no earlier version. npx quire host list shows those that are kept.')
  return found
}

function findNamed(versions: readonly Version[], wanted: string): Version {
  // The newest of those that have the label.
  const found = versions.find(({ id }) => id === wanted) ?? versions.find(({ label }) => label === wanted)
  if (!found)
    throw new OperatorError(
      `No kept version has the id or the label ${showName(wanted)}. npx quire host list shows those that are kept.`,
    )
  return found
}
