// This file uses no DOM, because code outside of pages also imports it.

/**
 * A part of a page's search.
 * - field: the text field, if a reader sees it; form: this field, if its form leads to another page
 * - opener: the control that shows the field
 * - any: a field or an opener; the field may be hidden
 */
export type SearchPart = 'field' | 'form' | 'opener' | 'any'
