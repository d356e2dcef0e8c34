import { type Planting, type SiteKind, words } from './site.ts'

/** A fault that only pages outside of the first sample have. */
export interface UnseenFault {
  title: string
  site: SiteKind
  /** Makes the fault of all pages but these. */
  plant(sample: readonly string[]): Planting
  /** Words that a page shows at the origin. */
  shows(name: string): string
}

/** A number that the address of a page does not tell. */
const recordOf = (name: string) => [...name].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 9973, 7)
const names = ['guide', 'api', 'blog', 'list'].flatMap(template =>
  Array.from({ length: 50 }, (_, index) => `${template}-${index}`),
)
const text = (name: string) => `Record ${words(`${name}late`, 14)}`
const files = (folder: string, ending: string, write: (name: string) => string) =>
  Object.fromEntries(names.map(name => [`/${folder}/${recordOf(name)}.${ending}`, write(name)]))
const head = ({ name }: { name: string }) => `<meta name="record" content="${recordOf(name)}">`

/** Runs code on all pages outside of the sample. `record` is their number, and `at(path)` the address of a file. */
const outside = (site: SiteKind, sample: readonly string[], code: string) => {
  const path = site === 'app' ? "const at = path => '/' + path" : 'const at = path => base + path'
  const known = JSON.stringify(sample.map(name => String(recordOf(name))))
  return `{ const record = document.querySelector('meta[name=record]').content; ${path}; const show = text => document.querySelector('article').append(text); const isBundle = !location.port
    if (!${known}.includes(record)) { ${code} } }`
}

type Part = Omit<UnseenFault, 'site' | 'plant'> & { code: string; files: NonNullable<Planting['files']> }

const parts: readonly Part[] = [
  {
    title: 'data of each page',
    code: "fetch(at('data/' + record + '.json')).then(it => it.json()).then(show)",
    files: files('data', 'json', name => JSON.stringify(text(name))),
    shows: text,
  },
  {
    title: 'two words from a file of each page',
    code: "fetch(at('data/' + record + '.txt')).then(it => it.text()).then(show)",
    files: files('data', 'txt', name => ` builtby ${name}late0`),
    shows: name => `builtby ${name}late0`,
  },
  {
    title: 'a script of each page',
    code: "{ const made = document.createElement('script'); made.src = at(['parts', record].join('/') + '.js'); document.head.append(made) }",
    files: files('parts', 'js', name => `document.querySelector('article').append(${JSON.stringify(text(name))})`),
    shows: text,
  },
  {
    title: 'text that a script removes from the bundle',
    code: "if (isBundle) document.querySelector('article p').remove()",
    files: {},
    shows: name => words(name, 90),
  },
  {
    title: 'an error in the bundle, before text is added',
    code: "if (isBundle) throw new Error('no licence'); show(' licensedtext')",
    files: {},
    shows: () => 'licensedtext',
  },
]

export const unseenFaults: readonly UnseenFault[] = (['app', 'plain'] as const).flatMap(site =>
  parts.map(({ title, code, files, shows }) => ({
    ...{ title, site, shows },
    plant: sample => ({ head, files, code: outside(site, sample, code) }),
  })),
)
