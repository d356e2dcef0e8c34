/** A request of a page that a browser shows. */
export interface BrowserRequest {
  url: string
  method: string
  /** In the browser's terms: document, stylesheet, image, media, font, script, xhr, fetch, other ... */
  resourceType: string
  /** Whether the page itself goes there, as opposed to loading a file or a frame. */
  isNavigation: boolean
  /** The Origin header; null on requests of the same origin. */
  origin: string | null
}

export interface BrowserAnswer {
  status: number
  headers: Record<string, string>
  body: Buffer
}

/** The only source of answers, so the checks of the fetcher hold for the browser too. Null = refused. */
export type Answerer = (request: BrowserRequest) => Promise<BrowserAnswer | null>

/** Whether two addresses differ at most in the fragment, which is not part of a request. */
export function sameFile(a: string, b: string): boolean {
  return a.split('#', 1)[0] === b.split('#', 1)[0]
}
