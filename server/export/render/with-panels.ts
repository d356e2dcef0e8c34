import type { CopiedPanel } from '../../in-page/panels/copied-panel.ts'
import { scanHtml } from '../../web/html/html-scan.ts'
import { encodeAttribute, encodeRaw, type RawText } from '../../web/html/text-encoding.ts'

/** Max characters that the panels add to a page. */
const maxLength = 500_000

/** Returns the page with a template for each panel behind all other content. */
export function withPanels({ text, charset }: RawText, panels: readonly CopiedPanel[]): RawText {
  if (panels.length === 0) return { text, charset }
  let room = maxLength
  const templates = panels.map(({ list, tab, html }) => {
    room -= html.length
    if (room < 0) return ''
    const attributes = `data-quire-panel="${encodeAttribute(list, charset)}" data-quire-tab="${tab}"`
    return `<template ${attributes}>${encodeRaw(html, charset, code => `&#${code};`)}</template>`
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
