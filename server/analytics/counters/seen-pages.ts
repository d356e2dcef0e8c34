/**
 * The pages that one visitor saw on one day, in ascending order of page number, each with its mask (`asHuman`, `asAi`).
 * The columns are reused for many visitors.
 */
export interface SeenPages {
  length: number
  pages: Uint32Array
  masks: Uint8Array
}

/** Creates empty columns, which grow as needed. */
export function createSeenPages(): SeenPages {
  return { length: 0, pages: new Uint32Array(64), masks: new Uint8Array(64) }
}

/** Appends a page; pages must be added in ascending order. */
export function pushSeenPage(seen: SeenPages, page: number, mask: number): void {
  if (seen.length === seen.pages.length) {
    seen.pages = grown(seen.pages, new Uint32Array(seen.length * 2))
    seen.masks = grown(seen.masks, new Uint8Array(seen.length * 2))
  }
  seen.pages[seen.length] = page
  seen.masks[seen.length++] = mask
}

function grown<Column extends Uint32Array | Uint8Array>(old: Column, larger: Column): Column {
  larger.set(old)
  return larger
}

let scratch = new Uint8Array(1024)

/** Encodes each page as the LEB128 number 4 × (distance to the previous page) + mask, mostly in one or two bytes. */
export function encodeSeenPages({ length, pages, masks }: SeenPages): Uint8Array {
  // Five bytes hold 35 bits, more than a page number and its mask need.
  if (scratch.length < length * 5) scratch = new Uint8Array(length * 10)
  let at = 0
  let before = 0
  for (let i = 0; i < length; i++) {
    const page = pages[i] as number
    let value = (page - before) * 4 + (masks[i] as number)
    before = page
    while (value >= 0x80) {
      scratch[at++] = (value % 0x80) | 0x80
      value = Math.floor(value / 0x80)
    }
    scratch[at++] = value
  }
  return scratch.slice(0, at)
}

/** Replaces the content of `seen` with the decoded output of `encodeSeenPages`, in `bytes` from `start` up to `end`. */
export function decodeSeenPages(bytes: Uint8Array, seen: SeenPages, start = 0, end = bytes.length): void {
  seen.length = 0
  let page = 0
  for (let at = start; at < end; ) {
    let value = 0
    let scale = 1
    let byte: number
    do {
      byte = bytes[at++] as number
      value += (byte & 0x7f) * scale
      scale *= 0x80
    } while (byte >= 0x80)
    page += Math.floor(value / 4)
    pushSeenPage(seen, page, value % 4)
  }
}
