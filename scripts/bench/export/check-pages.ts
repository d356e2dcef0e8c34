import { pathToFileURL } from 'node:url'
import { compareLinks, type Place } from './copy-links.ts'
import { findFile } from './static-server.ts'
import type { Look, Visitor } from './visitor.ts'

/** A sampled page as shown by the origin. */
export interface Original {
  path: string
  look: Look
}

/** A difference between a page of a copy and the origin. */
export interface Problem {
  mode: Mode
  path: string
  kind:
    | 'missing'
    | 'text'
    | 'content'
    | 'failed'
    | 'error'
    | 'outbound'
    | 'style'
    | 'broken link'
    | 'lost link'
    | 'unreadable'
  detail: string
}

/** The place in which a copy is opened: the root of a host, a folder of a host, or file://. */
export type Mode = 'root' | 'folder' | 'file'

export interface PagesCheck {
  mode: Mode
  sampled: number
  /** Number of pages with the same words as the origin in the same order. */
  sameText: number
  /** Like `sameText`, but without menus and bars, whose texts may depend on scripts. */
  sameContent: number
  /** Number of pages that look like the origin in all compared parts. */
  sameStyle: number
  failed: number
  errors: number
  outbound: number
  brokenLinks: number
  lostLinks: number
  problems: Problem[]
}

export interface PagesCheckOptions {
  mode: Mode
  place: Place
  originals: readonly Original[]
  originRoot: string
  isAlive(path: string): boolean
  visitor: Visitor
}

/** Opens sampled pages of a copy in the browser, with all other hosts blocked, and compares them with the origin. */
export async function checkPages(options: PagesCheckOptions): Promise<PagesCheck> {
  const { mode, originals } = options
  const problems: Problem[] = []
  const same = { text: 0, content: 0, style: 0 }
  for (const original of originals) {
    const { path } = original
    const add: AddProblems = (kind, details) => problems.push(...details.map(detail => ({ mode, path, kind, detail })))
    const look = await openCopy(path, options, add)
    if (!look) continue
    const differences = compareLooks(original.look, look)
    for (const kind of ['text', 'content', 'style'] as const) {
      if (differences[kind] === undefined) same[kind] += 1
      else add(kind, [differences[kind]])
    }
    addFaults(original.look, look, options, add)
  }
  const count = (kind: Problem['kind']) => problems.filter(problem => problem.kind === kind).length
  return {
    mode,
    sampled: originals.length,
    sameText: same.text,
    sameContent: same.content,
    sameStyle: same.style,
    failed: count('failed'),
    errors: count('error'),
    outbound: count('outbound'),
    brokenLinks: count('broken link'),
    lostLinks: count('lost link'),
    problems,
  }
}

type AddProblems = (kind: Problem['kind'], details: readonly string[]) => void

/** Opens a page of the copy. Returns undefined and adds a problem when the page is missing or cannot be opened. */
async function openCopy(
  path: string,
  { mode, place, visitor }: PagesCheckOptions,
  add: AddProblems,
): Promise<Look | undefined> {
  const found = findFile(place.folder, path)
  if (!found) {
    add('missing', ['the page is not in the copy'])
    return undefined
  }
  const host = mode === 'file' ? null : new URL(place.root).host
  const url = mode === 'file' ? pathToFileURL(found.file).href : new URL(path.slice(1), place.root).href
  const visit = await visitor.visit(url, host).catch(error => String(error).split('\n')[0] ?? '')
  if (typeof visit !== 'string') return visit.look
  add('unreadable', [visit])
  return undefined
}

/** Describes the first difference in each part of a page; undefined where there is none. */
function compareLooks(wanted: Look, given: Look): Record<'text' | 'content' | 'style', string | undefined> {
  const compareWords = (wanted: string, given: string) =>
    wanted === given ? undefined : describeDifference(wanted.split(' '), given.split(' '))
  const style = given.style.find((line, i) => line !== wanted.style[i])
  return {
    text: compareWords(wanted.text, given.text),
    content: compareWords(wanted.content, given.content),
    style: style === undefined ? undefined : `${style} <> ${wanted.style.find((line, i) => line !== given.style[i])}`,
  }
}

/** Adds failed requests, errors, outbound requests and links of the copy that the origin does not have. */
function addFaults(original: Look, look: Look, { place, originRoot, isAlive }: PagesCheckOptions, add: AddProblems) {
  const strip = (lines: readonly string[], root: string) => lines.map(line => line.replaceAll(root, '/'))
  const known = new Set([
    ...strip(original.failed, originRoot),
    ...strip(original.errors, originRoot),
    ...original.outbound,
  ])
  const fresh = (lines: readonly string[]) => strip(lines, place.root).filter(line => !known.has(line))
  add('outbound', fresh(look.outbound))
  // A request that the proxy refused has also failed. It is counted only as outbound.
  add(
    'failed',
    fresh(look.failed).filter(line => !look.outbound.some(refused => line.startsWith(refused.replace(/^\S+ /, '')))),
  )
  add('error', fresh(look.errors))
  const links = compareLinks({ links: original.links, root: originRoot }, { links: look.links, place }, isAlive)
  add('broken link', links.broken)
  add('lost link', links.lost)
}

/** Returns the first differing words, with some words before them. */
export function describeDifference(wanted: readonly string[], given: readonly string[]): string {
  let at = 0
  while (at < wanted.length && wanted[at] === given[at]) at += 1
  const from = Math.max(0, at - 3)
  const excerpt = (words: readonly string[]) => words.slice(from, at + 8).join(' ') || '(nothing)'
  return `word ${at}: "${excerpt(given)}" <> "${excerpt(wanted)}"; ${given.length} words <> ${wanted.length}`
}
