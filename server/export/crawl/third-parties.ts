import type { ExportReport } from '../model/report.ts'
import type { CollectedSite } from './crawl-tools.ts'

/**
 * Lists the packed and the omitted files of other hosts, sorted. Complete after the bundle check fetched all missing files.
 */
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
