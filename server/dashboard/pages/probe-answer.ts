import type { SiteProbe } from '../../export/probe-site.ts'
import type { Site } from '../../tenancy/site.ts'
import { siteTexts } from '../texts/sites.ts'

const texts = siteTexts.probe

/** How an origin answered, in sentences. */
export interface ProbeAnswer {
  /** Whether an export can begin. */
  isGood: boolean
  sentences: string[]
}

/** Describes how the origin of a site answered, and what to do if an export could not begin. */
export function describeProbe(site: Pick<Site, 'origin'>, probe: SiteProbe): ProbeAnswer {
  const { url, answeredBy, status, contentType, error } = probe
  if (status === null || answeredBy === null) {
    return { isGood: false, sentences: [texts.noAnswer(url, error ?? ''), texts.noAnswerRemedy] }
  }
  const sentences = [texts.status(url, status)]
  const problems = findProblems(site, probe, answeredBy)
  if (contentType === 'text/html' && status < 300) sentences.push(...describePage(probe))
  if (probe.robots !== 'forbids' || site.origin !== null) sentences.push(texts.robots[probe.robots])
  if (probe.robots === 'forbids' && site.origin !== null) sentences.push(texts.robotsIgnored)
  if (problems.length === 0) sentences.push(texts.good)
  return { isGood: problems.length === 0, sentences: [...sentences, ...problems] }
}

function findProblems({ origin }: Pick<Site, 'origin'>, probe: SiteProbe, answeredBy: string): string[] {
  const { url, status, contentType, robots } = probe
  const problems: string[] = []
  if (status === null || status < 200 || status > 299) problems.push(texts.statusRemedy)
  else if (contentType !== 'text/html') problems.push(texts.notHtml(contentType))
  if (new URL(answeredBy).host !== new URL(url).host) problems.push(texts.otherHost(answeredBy))
  if (robots === 'forbids' && origin === null) problems.push(texts.robots.forbids, texts.robotsRemedy)
  return problems
}

function describePage({ title, generator, rendering, sitemapPages }: SiteProbe): string[] {
  const sentences: string[] = []
  if (title !== null) sentences.push(texts.pageTitle(title))
  if (generator !== null) sentences.push(texts.generator(generator))
  if (rendering !== null) sentences.push(texts.rendering[rendering])
  sentences.push(sitemapPages === null ? texts.noSitemap : texts.sitemap(sitemapPages))
  return sentences
}
