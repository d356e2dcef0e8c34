import type { Request } from 'express'
import { type Theme, themeNames } from '../../docs/theme-choice.ts'
import { readCookie } from './cookies.ts'

/** The cookie with the theme of a browser. */
export const themeCookie = 'quire_theme'

/** Returns the theme that was chosen in this browser. */
export function readTheme(req: Request): Theme {
  return readCookie(req, themeCookie).find(isTheme) ?? 'system'
}

export function isTheme(text: string): text is Theme {
  return Object.hasOwn(themeNames, text)
}
