import { sum } from './import-tally.ts'
import type { LogEvidence } from './log-evidence.ts'

/** A reason to believe that the counts of a log are wrong. */
export interface Suspicion {
  code: SuspicionCode
  /** A sentence for the operator. It never quotes the log. */
  message: string
}

export type SuspicionCode =
  | 'utf-16'
  | 'mostly-malformed'
  | 'unread-header'
  | 'unclear-format'
  | 'mixed-formats'
  | 'no-page-view'
  | 'no-user-agent'
  | 'no-visitor'
  | 'no-client-field'
  | 'all-new-visitors'
  | 'one-address'
  | 'proxies'
  | 'date-jump'

/**
 * The thresholds, each with its reason. The logs of the demo and all samples of real servers stay below them.
 */
export const thresholds = {
  /** A real log has few lines that its format cannot read: attacks and lines cut by a crash. More than half is a mistake. */
  malformedShare: 0.5,
  /** Half of the first lines may be messages of a starting server. */
  clearShare: 0.5,
  /** Two programs that write into one file mix more than a tenth of the lines; a stray line is not a mixture. */
  otherFormatShare: 0.1,
  /** A page view without a user agent is rare. With ten of them and no other, the server does not log it. */
  unnamedViews: 10,
  /** A new site may only be visited by bots for a while. 50 of their views and no other are more likely a wrong field. */
  viewsWithoutVisitor: 50,
  /** Bots of a new site are known to the lists. Five views without any known program are of a wrong field. */
  viewsOfNobody: 5,
  /** A few unreadable lines may look like another format. Ten of them are a server that was configured anew. */
  otherLines: 10,
  /** A check of the own network may come past the proxy. Ten views that all do so have no list of clients. */
  viewsWithoutClient: 10,
  /** Readers open more than one page, and come back. Of 1,000 page views, at most 950 are of new visitors, also in a peak. */
  newVisitorViews: 1000,
  newVisitorShare: 0.99,
  /** A small site may have one reader who writes it. 1,000 page views of one address are more likely a proxy. */
  oneAddressViews: 1000,
  oneAddressShare: 0.95,
  /** In an intranet, an address has one or two browsers. Private addresses with five each are proxies, and so is a CDN. */
  proxiedViews: 20,
  proxiedShare: 0.5,
  browsersOfProxy: 5,
  /** The first lines of a log that grows may be messages of a starting server. */
  growingLines: 100,
  /** The first lines of a log that grows may be a scan for weak pages. */
  growingLinesWithoutView: 1000,
} as const

/** @param isGrowing whether the log is followed, so that more lines may come */
type Rule = (evidence: LogEvidence, isGrowing: boolean) => string | undefined

/** The first rule of these that applies explains the others, so they are not asked. */
const causes: readonly [SuspicionCode, Rule][] = [
  ['utf-16', suspectUtf16],
  ['unread-header', suspectHeader],
  ['mostly-malformed', suspectMalformed],
]

const others: readonly [SuspicionCode, Rule][] = [
  ['unclear-format', suspectDetection],
  ['mixed-formats', suspectMixture],
  ['no-page-view', suspectNoView],
  ['no-user-agent', suspectNoUserAgent],
  ['no-visitor', suspectNoVisitor],
  ['no-client-field', suspectNoClientField],
  ['all-new-visitors', suspectNewVisitors],
  ['one-address', suspectOneAddress],
  ['proxies', suspectProxies],
  ['date-jump', suspectDates],
]

/**
 * Judges the evidence about one log.
 *
 * @param isGrowing whether the log is followed; then its first lines are not judged
 */
export function findSuspicions(evidence: LogEvidence, isGrowing = false): Suspicion[] {
  if (isGrowing && evidence.lines < thresholds.growingLines) return []
  const cause = apply(causes, evidence, isGrowing)[0]
  return cause ? [cause] : apply(others, evidence, isGrowing)
}

/** Returns whether the log has lines, but none of them except comments could be read. */
export function isUnread({
  lines,
  filtered,
  malformed,
}: Pick<LogEvidence, 'lines' | 'filtered' | 'malformed'>): boolean {
  const unread = countUnread(malformed)
  return unread > 0 && unread === lines - filtered.comment
}

/** Counts the lines of which nothing could be read. */
export function countUnread(malformed: LogEvidence['malformed']): number {
  return malformed['wrong-format'] + malformed['bad-address'] + malformed['too-long']
}

function apply(rules: readonly [SuspicionCode, Rule][], evidence: LogEvidence, isGrowing: boolean): Suspicion[] {
  return rules.flatMap(([code, judge]) => {
    const message = judge(evidence, isGrowing)
    return message === undefined ? [] : [{ code, message }]
  })
}

function suspectUtf16({ isUtf16 }: LogEvidence): string | undefined {
  return isUtf16
    ? 'The text is UTF-16. Convert it: iconv -f UTF-16 -t UTF-8 FILE | npx quire visits import -'
    : undefined
}

function suspectHeader(evidence: LogEvidence): string | undefined {
  const { lines, filtered } = evidence
  if (filtered.comment === 0 || !isUnread(evidence)) return undefined
  return `The log has a header, but none of its ${show(lines - filtered.comment, 'other line')} could be read. Its #Fields may lack a column that Quire needs.`
}

function suspectMalformed({ lines, filtered, malformed }: LogEvidence): string | undefined {
  const bad = sum(malformed)
  const all = lines - filtered.comment
  if (bad <= thresholds.malformedShare * all) return undefined
  const hint =
    malformed['bad-address'] > bad / 2
      ? 'The address field holds no address. Another program may write a text before each line.'
      : 'Check the format; see --format in --help.'
  return `${show(bad)} of ${show(all, 'line')} ${bad === 1 ? 'is' : 'are'} malformed (${list(malformed)}). ${hint}`
}

function suspectDetection({ detection }: LogEvidence): string | undefined {
  if (!detection || detection.readLines >= thresholds.clearShare * detection.lines) return undefined
  const { lines, readLines, format } = detection
  const found = readLines === 0 ? 'None' : `Only ${show(readLines)}`
  const name = format === undefined || readLines === 0 ? '' : ` (${format})`
  return `${found} of the first ${show(lines, 'line')} ${readLines > 1 ? 'are' : 'is'} in a known format${name}. Name the format with --format.`
}

function suspectMixture({ detection, unread, malformed }: LogEvidence): string | undefined {
  const { other, format, lines = 0 } = detection ?? {}
  if (!other || other.lines < thresholds.otherFormatShare * lines) {
    if (!unread || unread.lines < thresholds.otherLines) return undefined
    return `${show(countUnread(malformed), 'line')} could not be read, and most of them are in the format ${unread.name}. Write each format into its own file.`
  }
  return `${show(other.lines)} of the first ${show(lines, 'line')} ${other.lines > 1 ? 'are' : 'is'} in the format ${other.name}, not ${format}, and count as malformed. Write each format into its own file.`
}

function suspectNoView({ lines, views, filtered, malformed }: LogEvidence, isGrowing: boolean): string | undefined {
  const all = lines - filtered.comment
  const minLines = isGrowing ? thresholds.growingLinesWithoutView : 1
  if (views > 0 || all < minLines) return undefined
  const { comment: _, ...reasons } = filtered
  return `None of ${show(all, 'line')} is a page view (${list({ ...reasons, ...malformed })}).`
}

function suspectNoUserAgent({ views, viewed }: LogEvidence): string | undefined {
  if (views < thresholds.unnamedViews || viewed.unnamed < views) return undefined
  return `None of ${show(views, 'page view')} has a user agent, so people and AI agents cannot be told apart. Configure the server to log it.`
}

function suspectNoVisitor({ views, visitorViews, viewed }: LogEvidence): string | undefined {
  const minViews = viewed.ofUnknown === views ? thresholds.viewsOfNobody : thresholds.viewsWithoutVisitor
  if (views < minViews || visitorViews > 0 || viewed.unnamed === views) return undefined
  return `None of ${show(views, 'page view')} is of people or AI agents. The field of the user agent may hold another value, such as the referrer.`
}

function suspectNoClientField({ views, hasClientField, viewed }: LogEvidence): string | undefined {
  if (!hasClientField || views < thresholds.viewsWithoutClient || viewed.ofListed > 0) return undefined
  return `None of ${show(views, 'page view')} has an address in the field of --client-field, so the address of the peer was counted.`
}

function suspectNewVisitors({ viewed: { ofVisitors, ofNewVisitors } }: LogEvidence): string | undefined {
  if (ofVisitors < thresholds.newVisitorViews || ofNewVisitors < thresholds.newVisitorShare * ofVisitors)
    return undefined
  return `${show(ofNewVisitors)} of ${show(ofVisitors, 'page view')} are of different visitors. The address may be one that changes with each request.`
}

function suspectOneAddress({ viewed: { ofVisitors, ofOneAddress } }: LogEvidence): string | undefined {
  if (ofVisitors < thresholds.oneAddressViews || ofOneAddress < thresholds.oneAddressShare * ofVisitors)
    return undefined
  return `At least ${show(ofOneAddress)} of ${show(ofVisitors, 'page view')} are of one address. If it is a proxy, name the field with the client: --client-field.`
}

function suspectProxies({ viewed: { proxied, ofVisitors, ofNewVisitors } }: LogEvidence): string | undefined {
  const { ofPrivate, privateAddresses, ofCdns } = proxied
  const isMost = (visitors: number) => visitors > 0 && visitors >= thresholds.proxiedShare * ofNewVisitors
  if (ofVisitors < thresholds.proxiedViews) return undefined
  const remedy =
    'Name the field with the client: --client-field. If the log has none, let the server log X-Forwarded-For.'
  const [cdn, visitors] = [...ofCdns].sort((a, b) => b[1] - a[1])[0] ?? ['', 0]
  if (isMost(visitors)) {
    return `${show(visitors)} of ${show(ofNewVisitors, 'visitor')} have an address of ${cdn}, which passes on the requests of others. ${remedy}`
  }
  if (!isMost(ofPrivate) || ofPrivate < thresholds.browsersOfProxy * privateAddresses) return undefined
  return `${show(ofPrivate)} of ${show(ofNewVisitors, 'visitor')} have a private address that others have too (${show(privateAddresses, 'address', 'addresses')}), so they are probably behind a proxy. ${remedy}`
}

function suspectDates({ viewed: { dateJumps } }: LogEvidence): string | undefined {
  if (dateJumps === 0) return undefined
  return `The dates of neighbouring lines are more than a year apart, ${dateJumps === 1 ? 'once' : `${show(dateJumps)} times`}. Check the clock of the server.`
}

function list(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .filter(([, count]) => count > 0)
    .sort((a, b) => b[1] - a[1])
    .map(([name, count]) => `${name} ${show(count)}`)
    .join(', ')
}

/** Formats a number with its noun: `1 line`, `1,200 lines`. */
function show(count: number, noun?: string, plural = `${noun}s`): string {
  const digits = count.toLocaleString('en-US')
  return noun === undefined ? digits : `${digits} ${count === 1 ? noun : plural}`
}
