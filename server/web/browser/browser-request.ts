/** What a page asks for while a browser shows it. */
export interface BrowserRequest {
  url: string
  method: string
  /** As the browser names it: document, stylesheet, image, media, font, script, xhr, fetch, other ... */
  resourceType: string
  /** Whether the page itself goes there, as opposed to loading it. */
  isNavigation: boolean
  /** The Origin header; null on requests of the same origin. */
  origin: string | null
}

export interface BrowserAnswer {
  status: number
  headers: Record<string, string>
  body: Buffer
}

/** Answers come from here only, so the checks of the fetcher hold for the browser too. Null = refused. */
export type Answerer = (request: BrowserRequest) => Promise<BrowserAnswer | null>
