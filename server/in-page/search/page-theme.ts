/** Decides whether the page has a dark background. The theme of the page may differ from the system theme. */
export function isDarkPage(): boolean {
  for (const element of [document.body, document.documentElement]) {
    const background = element ? brightnessOf(getComputedStyle(element).backgroundColor) : null
    if (background !== null) return background < 0.5
  }
  return (brightnessOf(getComputedStyle(document.body ?? document.documentElement).color) ?? 0) > 0.6
}

/** Returns the brightness from 0 to 1, or null if the colour is mostly transparent or not written as rgb. */
function brightnessOf(colour: string): number | null {
  const [red = 0, green = 0, blue = 0, alpha = 1] = (colour.match(/[\d.]+/g) ?? []).map(Number)
  return alpha < 0.5 || !colour.startsWith('rgb') ? null : (red * 299 + green * 587 + blue * 114) / 255_000
}
