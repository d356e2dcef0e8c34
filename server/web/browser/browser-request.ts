/** A request of a page in a browser. */
export interface BrowserRequest {
  url: string
  method: string
  /** The text of its body, such as that of a POST. */
  sent?: string | undefined
  /** The browser's type: document, stylesheet, image, media, font, script, xhr, fetch, other ... */
  resourceType: string
  /** Whether the page itself navigates to the address, as opposed to loading a file or a frame. */
  isNavigation: boolean
  /** The Origin header; null on requests of the same origin. */
  origin: string | null
}

export interface BrowserAnswer {
  status: number
  headers: Record<string, string>
  body: Buffer
}

/** Returns the text of a page that a server sent. */
export function decodeBody({ headers, body }: BrowserAnswer): string {
  const charset = /charset=([^;]+)/i.exec(headers['content-type'] ?? '')?.[1]?.trim()
  try {
    return new TextDecoder(charset).decode(body)
  } catch {
    return body.toString('latin1')
  }
}

/** Answers every request of the browser, so the checks of the fetcher also apply to the browser. Null = refused. */
export type Answerer = (request: BrowserRequest) => Promise<BrowserAnswer | null>

/** Decides whether two addresses are equal without their fragments. A fragment is not part of a request. */
export function sameFile(a: string, b: string): boolean {
  return a.split('#', 1)[0] === b.split('#', 1)[0]
}
