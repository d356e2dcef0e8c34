/** Whether the page has a dark background; its theme may differ from the system. */
export function isDarkPage(): boolean {
  for (const element of [document.body, document.documentElement]) {
    const background = element ? brightnessOf(getComputedStyle(element).backgroundColor) : null
    if (background !== null) return background < 0.5
  }
  return (brightnessOf(getComputedStyle(document.body ?? document.documentElement).color) ?? 0) > 0.6
}

/** From 0 to 1; null for a colour that is mostly transparent or not written as rgb. */
function brightnessOf(colour: string): number | null {
  const [red = 0, green = 0, blue = 0, alpha = 1] = (colour.match(/[\d.]+/g) ?? []).map(Number)
  return alpha < 0.5 || !colour.startsWith('rgb') ? null : (red * 299 + green * 587 + blue * 114) / 255_000
}
