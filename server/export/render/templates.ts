import type { ControlState } from '../../in-page/controls/pressed-control.ts'
import type { FetchedPage } from '../crawl/page-completer.ts'

/** The pages that load the same scripts. */
export interface Template {
  /** Keys of the pages kept as they were fetched. */
  keys: string[]
  /** Number of short pages that were shown in a browser. */
  suspects: number
  /** Whether the HTML of its pages is complete or has to be rendered. */
  verdict: 'unknown' | 'complete' | 'render'
  /** The pages in `keys` with buttons in their content, and their number. */
  controls: Map<string, number>
  /** What controls change that are the same on all pages. */
  shared: readonly ControlState[]
}

export interface Templates {
  /** Returns the template of a page. */
  of(page: FetchedPage): Template
  list(): Template[]
}

export function createTemplates(): Templates {
  const templates = new Map<string, Template>()
  return {
    of({ content }) {
      const name = content.text.scripts.join(' ')
      const template = templates.get(name) ?? {
        keys: [],
        suspects: 0,
        verdict: 'unknown',
        controls: new Map(),
        shared: [],
      }
      templates.set(name, template)
      return template
    },
    list: () => [...templates.values()],
  }
}
