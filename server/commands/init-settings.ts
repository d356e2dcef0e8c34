import { addressSettings } from '../flags/address-settings.ts'
import type { FlagsOf, Settings } from '../flags/setting.ts'
import { shared } from '../flags/shared-settings.ts'

/** The settings of `quire init`. */
export const initSettings = {
  data: shared.data,
  database: shared.database,
  org: { flag: '--org <id-or-name>', what: 'organization (default: the only one, else "Main")' },
  plan: {
    flag: '--plan <plan>',
    env: 'QUIRE_PLAN',
    what: 'plan of a new organization; static export needs enterprise',
    choices: ['standard', 'enterprise'],
    default: 'enterprise',
  },
  project: { flag: '--project <id-or-name>', what: 'project (default: the only one, else "Documentation")' },
  key: { flag: '--key <name>', what: 'first API key (default: any valid one, else "admin")' },
  expiresInDays: shared.expiresInDays,
  keyPrefix: shared.keyPrefix,
  site: { flag: '--site <domain>', what: 'site to register (default: none)' },
  origin: { flag: '--origin <url>', what: 'address to fetch the site from (default: https://DOMAIN/)' },
  unit: { flag: '--unit <file>', what: 'unit of systemd to write, such as quire.service (default: none)' },
  user: { flag: '--user <name>', env: 'QUIRE_SERVICE_USER', what: 'user of the unit', default: 'quire' },
  port: addressSettings.port,
  publicUrl: addressSettings.publicUrl,
  yes: { flag: '--yes', what: 'ask no questions' },
  json: shared.json,
} as const satisfies Settings

export type InitFlags = FlagsOf<typeof initSettings>
