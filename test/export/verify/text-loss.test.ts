import { describe, expect, test } from 'vitest'
import { ExportError } from '../../../server/export/model/export-error.ts'
import type { Difference, PlaceName } from '../../../server/export/model/report.ts'
import { countSmall, findLoss, findPartLoss } from '../../../server/export/verify/compare-page.ts'
import { noteTextLoss } from '../../../server/export/verify/text-loss.ts'

const split = (text: string) => text.split(' ')
const numbered = (count: number) => Array.from({ length: count }, (_, index) => `w${index}`)

/** A page that loses words in a place. */
function losing(words: number, of: number, more: { page?: string; place?: PlaceName; repeated?: number } = {}) {
  const { page = 'a/index.html', place = 'file', repeated = 0 } = more
  return { page, place, what: 'words are not shown', loss: { words, repeated, of } }
}

describe('the text that a page loses', () => {
  test('is counted, each word as often as it occurs', () => {
    const origin = { words: [...split('a a b b c d e'), ...numbered(90)] }
    expect(findLoss({ words: ['A', ...numbered(90)], headingWords: [] }, origin)).toEqual({
      words: 6,
      repeated: 0,
      of: 97,
    })
  })

  test('is none for a few words, such as those of a clock', () => {
    expect(findLoss({ words: [], headingWords: [] }, { words: split('at 12:30 UTC') })).toBeNull()
    expect(findLoss({ words: numbered(491), headingWords: [] }, { words: numbered(500) })).toBeNull()
  })

  test('knows which words repeat headings that are still shown', () => {
    const text = split('Install it Install it here Use it every day now')
    const outline = split('Install it Use it Remove it')
    const look = { words: text, headingWords: split('Install it Use it') }
    expect(findLoss(look, { words: [...text, ...outline] })).toEqual({ words: 6, repeated: 4, of: 16 })
  })
})

describe('the part of a page that its scripts make', () => {
  const served = [...numbered(900), ...split('waiting for data')]
  const origin = (made: string) => ({ served, words: [...numbered(900), ...split(made)] })
  const here = (text: string) => ({ headingWords: [], words: [...numbered(900), ...split(text)] })
  const cases: { fact: string; made: string; shown: string; lost: number | undefined }[] = [
    { fact: 'is lost if all of it is missing', made: 'ready now', shown: 'waiting for data', lost: 2 },
    { fact: 'is lost if much of it is missing', made: 'a b c d e f', shown: 'a b', lost: 4 },
    { fact: 'is not lost if a few words of it are missing', made: 'a b c d e f', shown: 'a b c d e', lost: undefined },
    { fact: 'is not lost if it is a number', made: '1,234', shown: 'waiting for data', lost: undefined },
    { fact: 'is not lost if other words are there', made: 'tip of today', shown: 'hint on tuesday', lost: undefined },
  ]
  test.each(cases)('$fact', ({ made, shown, lost }) => {
    expect(findPartLoss(here(shown), origin(made))?.words).toBe(lost)
  })
})

test('small losses count together with those of other pages in the same place', () => {
  const small = (page: string, place: PlaceName) => ({ ...losing(2, 400, { page, place }), isSmall: true })
  const remarks = [small('a', 'file'), small('b', 'file'), small('c', 'folder')]
  expect(countSmall(remarks)).toEqual([losing(2, 400, { page: 'a' }), losing(2, 400, { page: 'b' })])
})

describe('what an export says about lost text', () => {
  const cases: { fact: string; given: Difference[]; notes: string[] }[] = [
    { fact: 'nothing if nothing is lost', given: [{ page: 'a.html', place: 'file', what: 'an error: x' }], notes: [] },
    {
      fact: 'a sentence about a small loss',
      given: [losing(40, 400)],
      notes: ['Lost text: a/index.html loses 10% of its words when it is opened from file:// (360 of 400 are shown).'],
    },
    {
      fact: 'the largest of several losses, and how many pages it concerns',
      given: [
        losing(10, 400),
        losing(30, 400, { page: 'b.html', place: 'folder' }),
        losing(20, 400, { page: 'c.html' }),
      ],
      notes: [
        'Lost text: b.html loses 8% of its words in a folder of a host (370 of 400 are shown), and 2 more pages lose text.',
      ],
    },
    {
      fact: 'a sentence about an outline that only scripts make',
      given: [losing(60, 400, { repeated: 50 })],
      notes: ['Lost text: a/index.html loses 15% of its words when it is opened from file:// (340 of 400 are shown).'],
    },
  ]
  test.each(cases)('$fact', ({ given, notes }) => expect(noteTextLoss(given, false)).toEqual(notes))

  test('an error if a page loses more than a tenth, with the page, the place, the share and the remedy', () => {
    const given = [losing(41, 400, { place: 'root' }), losing(200, 400, { page: 'b.html' })]
    const message =
      'b.html loses 50% of its words when it is opened from file:// (200 of 400 are shown), and 1 more page loses text; to make the bundle all the same, pass --allow-loss or set QUIRE_ALLOW_LOSS=1.'
    expect(() => noteTextLoss(given, false)).toThrow(new ExportError(message, 'text_lost'))
    expect(() => noteTextLoss([losing(41, 400, { place: 'root' })], false)).toThrow(
      /^a\/index\.html loses 10% of its words at the root of a host \(359 of 400 are shown\); to make/,
    )
  })

  test('only a sentence if the loss is allowed', () => {
    expect(noteTextLoss([losing(200, 400, { page: 'b.html' })], true)).toEqual([
      'Lost text: b.html loses 50% of its words when it is opened from file:// (200 of 400 are shown).',
    ])
  })
})
