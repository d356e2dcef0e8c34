import type { Plan } from '../tenancy/organization.ts'
import type { StoreFlags } from './with-store.ts'

/** The parsed flags of `quire init`. */
export interface InitFlags extends StoreFlags {
  org?: string
  plan: Plan
  project?: string
  key?: string
  keyPrefix: string
  site?: string
  origin?: string
  unit?: string
  user: string
  publicUrl?: string
  port: number
  yes?: boolean
  json?: boolean
}
