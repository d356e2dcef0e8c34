import type { ControlState } from '../../in-page/controls/pressed-control.ts'
import type { CopiedPanel } from '../../in-page/panels/copied-panel.ts'
import { scanHtml } from '../../web/html/html-scan.ts'
import { encodeAttribute, encodeRaw, type RawText } from '../../web/html/text-encoding.ts'

/** Max characters that the panels add to a page. */
const maxLength = 500_000

/** What a page contains only after clicks. */
export interface Clicked {
  panels: readonly CopiedPanel[]
  states: readonly ControlState[]
}

/** Returns the page with a template for each panel and each state of a control behind all other content. */
export function withPanels({ text, charset }: RawText, { panels, states }: Clicked): RawText {
  const value = (given: string) => `"${encodeAttribute(given, charset)}"`
  const parts = [
    ...panels.map(({ list, tab, html }) => ({ attributes: `panel=${value(list)} data-quire-tab="${tab}"`, html })),
    ...states.map(({ key, up, isToggle, html }) => {
      return { attributes: `state=${value(key)} data-quire-up="${up}"${isToggle ? ' data-quire-toggles' : ''}`, html }
    }),
  ]
  if (parts.length === 0) return { text, charset }
  let room = maxLength
  const templates = parts.map(({ attributes, html }) => {
    room -= html.length
    if (room < 0) return ''
    return `<template data-quire-${attributes}>${encodeRaw(html, charset, code => `&#${code};`)}</template>`
  })
  const at = findBodyEnd(text)
  return { text: text.slice(0, at) + templates.join('') + text.slice(at), charset }
}

function findBodyEnd(text: string): number {
  let end: number | null = null
  scanHtml(text, {
    closeTag(name, start) {
      if (name === 'body') end = start
    },
  })
  return end ?? text.length
}
