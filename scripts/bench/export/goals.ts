import type { SiteResult, ToolResult } from './run.ts'
import { quireStatic } from './tools.ts'

/** A goal for an export. */
export interface Goal {
  site: string
  what: string
  /** The measured value as text. */
  given: string
  isMet: boolean
}

/** Checks the goals for the copy by Quire and for its speed compared with the peers. Omits goals without a measurement. */
export function judge({ site, isUnseen, pages, app, results }: SiteResult): Goal[] {
  const ours = results.find(result => result.tool === 'quire')
  if (!ours) return []
  const goals: Goal[] = []
  const add = (what: string, given: string, isMet: boolean) => goals.push({ site, what, given, isMet })
  if (!ours.copy) {
    add('copy exists', ours.obstacle ?? 'none', false)
    return goals
  }
  // No page links to four pages of the Python docs.
  const least = site === 'python' ? 526 : pages
  add(`${least} pages`, `${ours.copy.pages} of ${pages}`, ours.copy.pages >= least)
  for (const check of ours.checks ?? []) {
    const { mode, sampled, problems } = check
    // Without scripts, the text of bars differs, such as the shortcut that opens the search.
    const same = mode === 'root' ? check.sameText : check.sameContent
    add(`${mode}: same ${mode === 'root' ? 'text' : 'content'}`, `${same} of ${sampled}`, same === sampled)
    add(`${mode}: same appearance`, `${check.sameStyle} of ${sampled}`, check.sameStyle === sampled)
    const faults = check.failed + check.errors + check.outbound
    const given = `${check.failed} failed requests, ${check.errors} errors, ${check.outbound} outbound`
    add(
      `${mode}: no failed requests or errors`,
      given,
      faults === 0 && !problems.some(({ kind }) => kind === 'unreadable'),
    )
    const links = check.brokenLinks + check.lostLinks
    add(`${mode}: links work`, `${check.brokenLinks} broken, ${check.lostLinks} lost`, links === 0)
  }
  if (app && ours.app) {
    add('hydrated', String(ours.app.hydrated), ours.app.hydrated)
    add('theme toggles', String(ours.app.themeToggles), ours.app.themeToggles)
    add('menu link opens the right page', ours.app.landsOn, ours.app.landsOn === app.landsOn)
    const fresh = ours.app.faults.length
    add('no faults while the page is used', `${fresh} faults`, fresh <= app.faults.length)
  }
  if (ours.search)
    add('same search hits', `${ours.search.same} of ${ours.search.of}`, ours.search.same === ours.search.of)
  if (ours.falseFindings)
    add('report is correct', `${ours.falseFindings.length} wrong`, ours.falseFindings.length === 0)
  if (ours.again) add('second export has the same bytes', ours.again.outcome, ours.again.outcome === 'same bytes')
  // Compares without verifying the bundle in a browser, because no peer does that.
  const bare = results.find(({ tool }) => tool === quireStatic.name) ?? ours
  return [...goals, ...judgeCheck(site, ours, bare), ...judgeSpeed(site, isUnseen, bare, results)]
}

/** The check in a browser may take this many times as long as the export without it. */
const maxCheckRatio = 2.5

function judgeCheck(site: string, { wallSeconds: checked }: ToolResult, bare: ToolResult): Goal[] {
  if (bare.tool !== quireStatic.name || !checked || !bare.wallSeconds || site === 'docsify') return []
  const ratio = checked / bare.wallSeconds
  const what = `check: at most ${maxCheckRatio} x --verify static`
  return [{ site, what, given: `${ratio.toFixed(1)} x`, isMet: ratio <= maxCheckRatio }]
}

/** A copy may take this part of the processor time of the peer. */
const maxCpuShare = 1 / 2

function judgeCpu(site: string, ours: ToolResult, tool: string, results: readonly ToolResult[]): Goal[] {
  const theirs = results.find(result => result.tool === tool)?.cpuSeconds
  if (theirs === undefined || ours.cpuSeconds === undefined) return []
  const given = `${ours.cpuSeconds.toFixed(1)} s, ${tool} ${theirs.toFixed(1)} s`
  return [{ site, what: `half the CPU time of ${tool}`, given, isMet: ours.cpuSeconds <= theirs * maxCpuShare }]
}

function judgeSpeed(site: string, isUnseen: boolean, ours: ToolResult, results: readonly ToolResult[]): Goal[] {
  const speed = ({ copy, wallSeconds }: ToolResult) => (copy && wallSeconds ? copy.pages / wallSeconds : undefined)
  const own = speed(ours) ?? 0
  const against = (tool: string, factor: number): Goal[] => {
    const peer = results.find(result => result.tool === tool)
    const theirs = peer && speed(peer)
    if (theirs === undefined) return []
    const given = `${own.toFixed(1)} pages/s, ${tool} ${theirs.toFixed(1)}`
    return [{ site, what: `${factor} x ${tool}`, given, isMet: own >= factor * theirs }]
  }
  if (site === 'python') {
    const wget = results.find(({ tool }) => tool === 'wget')?.wallSeconds
    if (wget === undefined || ours.wallSeconds === undefined) return []
    const given = `${ours.wallSeconds.toFixed(1)} s, wget ${wget.toFixed(1)} s`
    return [{ site, what: 'as fast as wget', given, isMet: ours.wallSeconds <= wget }]
  }
  if (site === 'docusaurus' || isUnseen)
    return [...against('website-scraper', 3), ...judgeCpu(site, ours, 'website-scraper', results)]
  const rate = { site, what: '4 pages/s', given: `${own.toFixed(1)} pages/s`, isMet: own >= 4 }
  return [rate, ...against('single-file-cli', 3)]
}
