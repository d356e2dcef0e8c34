/** The lines of each icon, in a box of 24 by 24. */
const lines = {
  check: 'M5 13l4 4L19 7',
  cross: 'M6 6l12 12M18 6L6 18',
  warning: 'M12 4L2.5 20h19zM12 10v4m0 3v.1',
  clock: 'M12 3a9 9 0 100 18 9 9 0 000-18zm0 4v5l3.5 2',
  arc: 'M12 3a9 9 0 109 9',
  dot: 'M12 3a9 9 0 100 18 9 9 0 000-18zm0 6a3 3 0 100 6 3 3 0 000-6z',
  box: 'M3 4h18v5H3zm2 5v11h14V9M10 13h4',
  ban: 'M12 3a9 9 0 100 18 9 9 0 000-18zM6 6l12 12',
  copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
  screen: 'M3 4h18v12H3zm5 17h8m-4-5v5',
  sun: 'M12 8a4 4 0 100 8 4 4 0 000-8zM12 2v2m0 16v2M2 12h2m16 0h2M5 5l1.4 1.4m11.2 11.2L19 19M5 19l1.4-1.4M17.6 6.4L19 5',
  moon: 'M20 14A8.5 8.5 0 0110 4a8.5 8.5 0 1010 10z',
} as const

/**
 * Returns an icon as a mask of the style sheet. Pages only name a class, so a list of many rows does not repeat the lines, and the icon
 * has the colour of its text.
 */
export function icon(name: keyof typeof lines): string {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><path d="${lines[name]}" fill="none" stroke="#000" stroke-width="2.4" stroke-linecap="round" stroke-linejoin="round"/></svg>`
  return `url("data:image/svg+xml,${encodeURIComponent(svg)}")`
}
