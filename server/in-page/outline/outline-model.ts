// This file uses no DOM, because the exporter also imports it.

/** A list of the headings of a page that only a script makes, as a model for the other pages of the site. */
export interface OutlineModel {
  /** Selector of the only element beside which, or into which, the outline is put. */
  anchor: string
  position: 'inside' | 'after' | 'first' | 'last'
  /** Classes that the script adds to the anchor (0) and the elements around it (1, 2 ...). */
  classes: [level: number, names: string[]][]
  /** Markup of the outline without its items; `''` if the items are put into the anchor. */
  shell: string
  /** The levels of headings, outermost first. */
  levels: OutlineLevel[]
}

export interface OutlineLevel {
  /** Names of the heading elements, such as `h2`. */
  tags: string[]
  /** Markup of an item, with marks in place of its text and of the id of its heading. */
  item: string
  /** Markup of a list of this level, without its items, inside an item of the level above; `''` for the outermost level. */
  list: string
}

/** Stands for the text of a heading. */
export const textMark = '\u0001'
/** Stands for the id of a heading. */
export const idMark = '\u0002'
/** The class of the element of the shell that holds the items. */
export const itemsMark = 'quire-items'
