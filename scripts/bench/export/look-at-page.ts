import { setTimeout as sleep } from 'node:timers/promises'
import type { Page } from 'puppeteer'
import { type Frameworks, findFrameworks } from './find-frameworks.ts'
import type { Place } from './place.ts'
import { readVisibleWords } from './visible-words.ts'
import type { Visitor } from './visitor.ts'

/** A page as a reader sees it. Addresses below the root of its place are written as paths. */
export interface PageLook {
  words: string[]
  frameworks: Frameworks
  failed: string[]
  errors: string[]
  /** Requests to other hosts. They are refused. */
  outbound: string[]
}

type View = Pick<PageLook, 'words' | 'frameworks'>

export interface LookOptions {
  place: Place
  visitor: Visitor
  /** See `Site`. */
  hydrated?: string | undefined
  /** Changes the page before it is read. */
  prepare?: ((page: Page) => Promise<void>) | undefined
  /** Whether the page needs no more time; absent = it is read until it stays the same. */
  isComplete?: (view: View) => boolean
}

/** On a busy machine, scripts of a page may start long after its requests have ended. */
const maxReadings = 6
const readingGapMs = 600

/** @throws {Error} when the page does not load. */
export async function lookAt(address: string, options: LookOptions): Promise<PageLook> {
  const { place, visitor } = options
  const { look, acted } = await visitor.visit(address, place.host, page => readPatiently(page, options))
  const local = (lines: readonly string[]) => lines.map(line => line.replaceAll(place.root, '/'))
  const outbound = look.outbound
  return {
    words: acted?.words ?? [],
    frameworks: acted?.frameworks ?? {},
    // A refused request has failed too. It is counted only as outbound.
    failed: local(look.failed.filter(line => !outbound.some(refused => line.startsWith(refused.replace(/^\S+ /, ''))))),
    // From file://, the same error of a script has a longer name.
    errors: local(look.errors).map(line => line.replace(/^(Error: )?Uncaught (\(in promise\) )?/, '')),
    outbound,
  }
}

async function readPatiently(page: Page, { hydrated, prepare, isComplete }: LookOptions): Promise<View> {
  await prepare?.(page)
  let before: string | undefined
  for (let reading = 1; ; reading += 1) {
    const view = { words: await readVisibleWords(page), frameworks: await findFrameworks(page, hydrated) }
    const now = JSON.stringify(view)
    if (reading === maxReadings || (isComplete ? isComplete(view) : now === before)) return view
    before = now
    await sleep(readingGapMs)
  }
}
