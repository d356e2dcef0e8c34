/** A part of a page from one heading to the next; the part before the first heading has the id ''. */
export interface PageSection {
  id: string
  /** 1 to 3. */
  level: number
  heading: string
  /** Without the heading; white space is collapsed. */
  text: string
}

/** Splits a page of this documentation at its headings. */
export function listSections(html: string): PageSection[] {
  const sections: PageSection[] = []
  for (const part of html.split(/(?=<h[1-3][ >])/)) {
    const heading = /^<h([1-3])(?: id="([^"]*)")?>([\s\S]*?)<\/h\1>/.exec(part)
    if (!heading) continue
    const [whole, level = '1', id = '', title = ''] = heading
    sections.push({
      // The first heading is the page itself.
      id: level === '1' ? '' : id,
      level: Number(level),
      heading: readText(title),
      text: readText(part.slice(whole.length)),
    })
  }
  return sections
}

const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" }

function readText(html: string): string {
  return html
    .replaceAll(/<(?!\/?(?:a|code|em|span|strong|wbr)\b)[^<>]*>/g, ' ')
    .replaceAll(/<[^<>]*>/g, '')
    .replaceAll(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => entities[name] ?? '')
    .replaceAll(/\s+/g, ' ')
    .trim()
}
