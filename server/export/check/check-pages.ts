import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { PageLook } from '../../web/browser/page-look.ts'
import type { BundleViewer } from '../../web/browser/viewer.ts'
import { readRawText } from '../../web/html/text-encoding.ts'
import { cannotShow, findLoss, isKnownFault } from '../verify/compare-page.ts'
import { judgeScripts } from '../verify/judge-sample.ts'
import { answerError } from '../verify/known-faults.ts'
import { createPlace, type Place } from '../verify/places.ts'
import { maxLostShare } from '../verify/text-loss.ts'
import type { KnownReport } from './bundle-files.ts'
import type { BundleFault } from './check-result.ts'

interface PageFindings {
  faults: BundleFault[]
  notes: string[]
}

const places = ['root', 'folder', 'file'] as const
/** A page that fails is opened again, because a busy machine may have caused the failure. */
const attempts = 2

/** Opens pages in the three places where a bundle works, with all other addresses blocked, and compares their text. */
export async function checkPages(
  folder: string,
  pages: readonly string[],
  viewer: BundleViewer,
  report: Pick<KnownReport, 'differences' | 'originFaults'> | null,
): Promise<PageFindings> {
  const all = places.map(name => createPlace(name, folder))
  // An error that the report names of one page is not news on another.
  const known = new Set(
    report?.differences.flatMap(({ page, place, what }) => [`${page} ${place}`, `${what} ${place}`]),
  )
  const originFaults = report?.originFaults ?? []
  const found = await Promise.all(
    pages.map(async page => {
      for (let attempt = 1; ; attempt += 1) {
        const judged = await checkPage(page, all, { folder, viewer, originFaults })
        if (judged.every(({ isSerious }) => !isSerious) || attempt >= attempts) return judged
      }
    }),
  )
  const differences = found.flat()
  const isFault = ({ page, place, what, isSerious }: Judged) =>
    isSerious && !known.has(`${page} ${place}`) && !known.has(`${what} ${place}`)
  return {
    faults: differences.filter(isFault).map(({ page, place, what }) => ({ page, place, what })),
    notes: differences
      .filter(each => !isFault(each))
      .map(({ page, place, what }) => `${page} ${where[place]}: ${what}.`),
  }
}

/** Names a place in sentences. */
export const where = {
  root: 'at the root of a host',
  folder: 'in a folder of a host',
  file: 'opened from file://',
}

interface Judged {
  page: string
  place: Place['name']
  what: string
  isSerious: boolean
}

async function checkPage(
  page: string,
  all: readonly Place[],
  { folder, viewer, originFaults }: { folder: string; viewer: BundleViewer; originFaults: readonly string[] },
): Promise<Judged[]> {
  const looks: [Place, PageLook | null][] = []
  for (const place of all) looks.push([place, await viewer.look(place.address(page), place.answer)])
  const seen = looks.flatMap(([, look]) => look ?? [])
  // The site's own scripts may add text where they run, so the place with the most text is the measure.
  const fullest = seen.reduce<PageLook | null>((a, b) => (a && a.words.length >= b.words.length ? a : b), null)
  // A page without text and scripts shows no text at the origin either.
  const mayHaveNoText = fullest?.words.length === 0 && !(await hasScripts(join(folder, page)))
  return looks.flatMap(([place, look]) => {
    const judged = (what: string, isSerious = true) => ({ page, place: place.name, what, isSerious })
    if (!look) return [judged(cannotShow)]
    const faults = listFailures(look, place, originFaults).map(what => judged(what))
    if (look.words.length === 0) faults.push(judged('it shows no text', !mayHaveNoText))
    const loss = fullest && findLoss(look, fullest)
    if (loss && look.words.length > 0) {
      const isSerious = loss.words - loss.repeated > loss.of * maxLostShare
      faults.push(judged(`${loss.words} of ${loss.of} words are not shown`, isSerious))
    }
    return faults
  })
}

const hasScripts = async (file: string) => judgeScripts(readRawText(await readFile(file), null), '/').hasScripts

/** Numbers in addresses and errors differ from page to page. */
const family = (fault: string) => fault.replaceAll(/\d+/g, '0')

/** Describes failed requests and errors that the origin does not have, on the pages that the export opened there. */
function listFailures({ failed, errors }: PageLook, { root }: Place, originFaults: readonly string[]): string[] {
  const known = originFaults.map(family)
  const isNew = (fault: string) => !isKnownFault(family(fault.replaceAll(root, '/')), known)
  const isExcused = failed.some(address => !isNew(address))
  const isNewError = (error: string) => isNew(error) && !(isExcused && answerError.test(error))
  const requests = failed
    .filter(isNew)
    .map(address =>
      address.startsWith(root) ? `a request fails: ${address.slice(root.length)}` : `it asks for ${address}`,
    )
  return [...requests, ...errors.filter(isNewError).map(error => `an error: ${error.replaceAll(root, '/')}`)]
}
