import { OperatorError } from '../base/operator-error.ts'
import type { Steps } from '../base/steps.ts'
import type { StoreFlags } from '../flags/shared-settings.ts'
import type { NounsInSteps } from '../store/nouns.ts'
import { recordChange } from '../store/record-change.ts'
import { withExistingStore } from './with-store.ts'

/**
 * Changes a site and appends the audit event.
 *
 * @param change returns false if there is no such site.
 */
export async function changeSite(
  flags: StoreFlags,
  event: { domain: string; action?: 'site.deleted'; detail?: string },
  change: (nouns: NounsInSteps) => Steps<boolean>,
): Promise<void> {
  const { domain, action = 'site.changed', detail = null } = event
  await withExistingStore(flags, async store => {
    const site = await store.sites.find(domain)
    const project = site && (await store.projects.find(site.projectId))
    const organizationId = project?.organizationId ?? null
    if (!(await recordChange(store, { action, subject: domain, organizationId, detail }, change)))
      throw unknownSite(domain)
  })
}

export function unknownSite(domain: string): OperatorError {
  return new OperatorError(`There is no site ${domain}. See: npx quire sites list`)
}
