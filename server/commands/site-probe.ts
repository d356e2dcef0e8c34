import { probeSite, type SiteProbe } from '../export/probe-site.ts'
import type { Site } from '../tenancy/site.ts'
import { fitTerminal } from './prose.ts'

const timeoutMs = 10_000

/** The address of a site; the origin is null if exports use https://DOMAIN/. */
type Address = Pick<Site, 'domain' | 'origin'>

/** Requests the first page of the site as an export would do. */
export function probeOrigin({ domain, origin }: Address): Promise<SiteProbe> {
  return probeSite({ origin: new URL(origin ?? `https://${domain}/`), originAllowed: origin !== null, timeoutMs })
}

/** Prints how the origin answers. Problems that an export would have are warnings on standard error. */
export function printProbe(site: Address, probe: SiteProbe): void {
  const { facts, warnings } = describeProbe(site, probe)
  for (const fact of facts) console.log(fitTerminal(fact, process.stdout))
  for (const warning of warnings) console.error(fitTerminal(`Warning: ${warning}`, process.stderr))
}

/** Describes a probe in sentences. A warning says what to do; the site stays registered. */
export function describeProbe(site: Address, probe: SiteProbe): { facts: string[]; warnings: string[] } {
  const { url, answeredBy, status, contentType, error } = probe
  const setOrigin = `npx quire sites set-origin ${site.domain}`
  if (status === null || answeredBy === null) {
    const remedy = `The site is registered. Check the address before the first export, or change it with: ${setOrigin} URL`
    return { facts: [], warnings: [`${url} does not answer: ${error}. ${remedy}`] }
  }
  const facts = [`${url} answers ${status}: ${describeContent(probe)}.`]
  const warnings: string[] = []
  if (status < 200 || status > 299) warnings.push(`An export needs a page at ${url}. Check the address.`)
  else if (contentType !== 'text/html') warnings.push(`${url} is not an HTML page. Check the address.`)
  const to = new URL(answeredBy)
  if (to.host !== new URL(url).host) {
    warnings.push(`It redirects to another host, ${to.href}. To export that host: ${setOrigin} ${to.origin}/`)
  } else if (to.href !== url) facts.push(`It redirects to ${to.href}.`)
  if (probe.rendering === 'browser') facts.push('Its text is made by scripts, so exports open each page in a browser.')
  if (probe.sitemapPages !== null) facts.push(`Its sitemap lists ${probe.sitemapPages} pages.`)
  if (probe.robots === 'none') facts.push('It has no robots.txt.')
  else if (probe.robots === 'allows') facts.push('Its robots.txt allows the export.')
  else if (site.origin !== null)
    facts.push('Its robots.txt forbids the export. It is not obeyed, because you set the origin.')
  else {
    warnings.push(
      `Its robots.txt forbids the export. Allow the user agent QuireExport there. If the site is yours, this ignores robots.txt: ${setOrigin} ${url}`,
    )
  }
  return { facts, warnings }
}

function describeContent({ contentType, title, generator }: SiteProbe): string {
  const words = [contentType || 'without a type', title && `title “${title}”`, generator && `made by ${generator}`]
  return words.filter(Boolean).join(', ')
}
