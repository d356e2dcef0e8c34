/** An element that holds the content of a page. */
export interface MainPart {
  has: RegExp
  name: string
  role: string
}

/** The elements that hold the content of a page, in order of preference. */
const mainParts: readonly MainPart[] = [
  { has: /<main[\s>]|role\s*=\s*["']?main\b/i, name: 'main', role: 'main' },
  { has: /<article[\s>]/i, name: 'article', role: 'article' },
]

/** Returns the element that holds the content of a page; null = the page has none, so everything but its menus is content. */
export function findMainPart(text: string): MainPart | null {
  return mainParts.find(({ has }) => has.test(text)) ?? null
}

/** The roles of menus and similar parts. */
export const silentRoles = /^(navigation|search|complementary|contentinfo|dialog)$/
