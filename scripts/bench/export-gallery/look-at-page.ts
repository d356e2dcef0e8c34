import type { Visitor } from '../export/visitor.ts'
import { type Frameworks, findFrameworks } from './find-frameworks.ts'
import type { Place } from './place.ts'
import { readVisibleWords } from './visible-words.ts'

/** A page as a reader sees it. Addresses below the root of its place are written as paths. */
export interface PageLook {
  words: string[]
  frameworks: Frameworks
  failed: string[]
  errors: string[]
  /** Requests to other hosts. They are refused. */
  outbound: string[]
}

/** @throws {Error} when the page does not load. */
export async function lookAt(
  address: string,
  { place, visitor, hydrated }: { place: Place; visitor: Visitor; hydrated?: string | undefined },
): Promise<PageLook> {
  const { look, acted } = await visitor.visit(address, place.host, async page => ({
    words: await readVisibleWords(page),
    frameworks: await findFrameworks(page, hydrated),
  }))
  const local = (lines: readonly string[]) => lines.map(line => line.replaceAll(place.root, '/'))
  const outbound = look.outbound
  return {
    words: acted?.words ?? [],
    frameworks: acted?.frameworks ?? {},
    // A refused request has failed too. It is counted only as outbound.
    failed: local(look.failed.filter(line => !outbound.some(refused => line.startsWith(refused.replace(/^\S+ /, ''))))),
    errors: local(look.errors),
    outbound,
  }
}
