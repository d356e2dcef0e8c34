import type { Plan } from '../tenancy/organization.ts'

/** The parsed flags of `quire init`. */
export interface InitFlags {
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
  data: string
  json?: boolean
}
