import { makeZip, type ZipPart } from '../unpack/make-archives.ts'

/** Words that each file of a site repeats, so that a file of two versions is noticed. */
const repeats = 300

export interface SiteOptions {
  /** The text of each file, and the version in the report. */
  version: string
  pages?: number
  /** Added to the report. */
  report?: object
  /** Added to the archive. */
  more?: readonly ZipPart[]
}

/** The text of a page of a site: the version, many times. */
export function pageText(version: string, name: string): string {
  const words = `${version} `.repeat(repeats)
  return `<!doctype html><html><head><meta charset="utf-8"/><title>${name}</title></head><body>${words}</body></html>`
}

/** The names of the pages of a site. */
export function pageNames(pages: number): string[] {
  return Array.from({ length: pages }, (_, index) => `guide/p${index}`)
}

/** Makes a bundle: a first page, pages, a style sheet, a script with a hash in its name, and a report. */
export function makeSite({ version, pages = 2, report = {}, more = [] }: SiteOptions): Buffer {
  return makeZip(siteParts({ version, pages, report, more }))
}

export function siteParts({ version, pages = 2, report = {}, more = [] }: SiteOptions): ZipPart[] {
  const text = JSON.stringify({ domain: 'docs.example.com', version, deployment: 'air-gapped', pages, ...report })
  return [
    { name: 'index.html', content: pageText(version, 'home') },
    ...pageNames(pages).map(name => ({ name: `${name}.html`, content: pageText(version, name) })),
    { name: 'style.css', content: `/* ${version} */ `.repeat(repeats) },
    { name: `assets/app.${hashOf(version)}.js`, content: `// ${version}\n`.repeat(repeats) },
    { name: 'export-report.json', content: text },
    ...more,
  ]
}

/** A hash as bundlers write it. */
export function hashOf(version: string): string {
  return `a1${Buffer.from(version).toString('hex')}00000000`.slice(0, 12)
}
