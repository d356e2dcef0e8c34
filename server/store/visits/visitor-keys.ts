import { createHmac } from 'node:crypto'
import { toKeyPeriod, type VisitorKeys } from '../../analytics/visitor-keys.ts'
import type { SaltRotation } from '../../tenancy/project.ts'
import type { PeriodKey } from './period-keys.ts'

/** The stored keys of a project, see `openPeriodKeys`. */
interface StoredKeys {
  take(period: ReturnType<typeof toKeyPeriod>, now: number): PeriodKey
  hasDerived(): boolean
}

export interface VisitorKeyOptions {
  /** The content of `visitor.key`. */
  secret: Uint8Array
  /** Opens the keys of a project; SQLite creates the file of its visits. */
  takeKeys(projectId: string): Pick<StoredKeys, 'take'>
  /** Returns the keys of a project; undefined when it never had a visit. */
  findKeys(projectId: string): Pick<StoredKeys, 'hasDerived'> | undefined
  /** Milliseconds since 1970. */
  now(): number
}

/**
 * Creates the keys of the visitor hashes. With a rotation, each period has a random key. Without, the key is derived from the
 * secret and the id of the project, so that visitors of two projects cannot be linked without the secret. Visits from before
 * that keep the key that they were hashed with.
 */
export function createVisitorKeys({ secret, takeKeys, findKeys, now }: VisitorKeyOptions): VisitorKeys {
  return {
    find({ id, visitorSaltRotation: rotation }, day) {
      if (rotation === 'never') return findKeys(id)?.hasDerived() ? secret : derive(secret, `project ${id}`)
      const period = toKeyPeriod(day, rotation)
      const found = takeKeys(id).take(period, now())
      if (found.source === 'destroyed') return undefined
      return found.source === 'random' ? found.key : derive(secret, period.name)
    },
  }
}

/** Whether the keys of a project change, so that ended periods have keys to destroy. */
export function isRotating(rotation: SaltRotation): rotation is Exclude<SaltRotation, 'never'> {
  return rotation !== 'never'
}

function derive(secret: Uint8Array, name: string): Uint8Array {
  return createHmac('sha256', secret).update(name).digest()
}
