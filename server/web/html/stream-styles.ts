import { type Attribute, findAttribute, type Tag } from './html-scan.ts'
import type { Moves } from './moves.ts'
import { decodeAttribute, encodeAttribute, type RawText } from './text-encoding.ts'

/** The style sheets of a streamed page. React orders them by precedence, in the order in which precedences first occur. */
export interface StreamStyles {
  tag(tag: Tag): void
  /** Called with the end of the content of a style element. */
  endStyle(tag: Tag, contentEnd: number): void
  /**
   * Adds the style sheets of instructions, and moves the style elements that wait for an instruction.
   *
   * @param sheets `[href, precedence, name, value, ...]` each.
   */
  hoist(sheets: readonly string[][], moves: Moves): void
}

/** A style element that waits for an instruction: `<style media="not all" data-precedence="next">`. */
interface WaitingStyle {
  tag: Tag
  media: Attribute
  precedence: string
  contentEnd: number
}

export function createStreamStyles({ text, charset }: RawText): StreamStyles {
  const value = (attribute: Attribute) => decodeAttribute(text.slice(attribute.start, attribute.end), charset)
  /** Positions after the last style sheet of each precedence. */
  const ends = new Map<string, number>()
  const known = new Set<string>()
  const waiting: WaitingStyle[] = []
  let lastEnd: number | null = null
  let headStart: number | null = null

  function noteEnd(precedence: string, end: number): void {
    ends.set(precedence, end)
    lastEnd = end
  }

  const precedenceOf = (tag: Tag): string | null => {
    const attribute = findAttribute(tag, 'data-precedence')
    return attribute ? value(attribute) : null
  }

  function endOfStyle(contentEnd: number): number {
    const close = text.indexOf('>', contentEnd)
    return close === -1 ? text.length : close + 1
  }

  return {
    tag(tag) {
      if (tag.name === 'head') headStart ??= tag.end
      if (tag.name !== 'link') return
      const precedence = precedenceOf(tag)
      const href = findAttribute(tag, 'href')
      const rel = findAttribute(tag, 'rel')
      if (precedence === null || !href || !rel || value(rel) !== 'stylesheet') return
      known.add(value(href))
      noteEnd(precedence, tag.end)
    },
    endStyle(tag, contentEnd) {
      const precedence = tag.name === 'style' ? precedenceOf(tag) : null
      if (precedence === null) return
      const media = findAttribute(tag, 'media')
      if (media && value(media) === 'not all') waiting.push({ tag, media, precedence, contentEnd })
      else noteEnd(precedence, endOfStyle(contentEnd))
    },
    hoist(sheets, moves) {
      const added: [precedence: string, markup: string][] = []
      for (const sheet of sheets) {
        const [href = '', precedence = ''] = sheet
        if (href === '' || known.has(href)) continue
        known.add(href)
        added.push([precedence, linkTo(sheet, charset)])
      }
      for (const { tag, media, precedence, contentEnd } of waiting) {
        const end = endOfStyle(contentEnd)
        added.push([precedence, text.slice(tag.start, media.nameStart) + text.slice(media.outerEnd, end)])
        moves.replace(tag.start, end, [])
      }
      insertStyles(added, precedence => ends.get(precedence) ?? lastEnd ?? headStart ?? 0, moves)
    },
  }
}

/** Inserts style sheets, those of a precedence together. */
function insertStyles(
  added: readonly [precedence: string, markup: string][],
  placeOf: (precedence: string) => number,
  moves: Moves,
): void {
  const byPrecedence = new Map<string, string[]>()
  for (const [precedence, markup] of added) {
    const sheets = byPrecedence.get(precedence) ?? []
    sheets.push(markup)
    byPrecedence.set(precedence, sheets)
  }
  for (const [precedence, sheets] of byPrecedence) moves.replace(placeOf(precedence), placeOf(precedence), sheets)
}

/** Returns a link element for a style sheet of an instruction. */
function linkTo([href = '', precedence = '', ...more]: readonly string[], charset: string): string {
  const attributes = [
    ['rel', 'stylesheet'],
    ['href', href],
    ['data-precedence', precedence],
  ]
  for (let at = 0; at + 1 < more.length; at += 2) attributes.push([more[at] ?? '', more[at + 1] ?? ''])
  const written = attributes.filter(([name = '']) => /^[a-z][a-z0-9-]*$/i.test(name))
  return `<link ${written.map(([name, value = '']) => `${name}="${encodeAttribute(value, charset)}"`).join(' ')}/>`
}
