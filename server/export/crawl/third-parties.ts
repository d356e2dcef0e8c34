import type { ExportReport } from '../model/report.ts'
import type { CollectedSite } from './collected-site.ts'

/** The files of other hosts, packed and left out, sorted. Complete when the check of the bundle has fetched what it missed. */
export function listThirdParties({
  site,
  files,
  guesses,
}: Pick<CollectedSite, 'site' | 'files' | 'guesses'>): Pick<ExportReport, 'packedThirdParty' | 'removedThirdParty'> {
  const packedThirdParty: string[] = []
  const removedThirdParty: ExportReport['removedThirdParty'] = []
  for (const [key, outcome] of files) {
    if (site.own(new URL(key))) continue
    if (outcome.state === 'file') packedThirdParty.push(key)
    else if (!guesses.has(key)) removedThirdParty.push({ url: key, reason: outcome.reason })
  }
  return {
    packedThirdParty: packedThirdParty.sort(),
    removedThirdParty: removedThirdParty.sort((a, b) => (a.url < b.url ? -1 : 1)),
  }
}
