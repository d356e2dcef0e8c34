/** The objects of a PDF that Chromium (Skia) wrote: plain objects in one table, without encryption. */
export type ReadPdf = ReturnType<typeof readPdf>

/** @throws {Error} when the bytes are not such a PDF. */
export function readPdf(bytes: Buffer) {
  const tail = bytes.toString('latin1', Math.max(0, bytes.length - 2048))
  const tableStart = Number(/startxref\s+(\d+)/.exec(tail)?.[1])
  const table = bytes.toString('latin1', tableStart)
  if (!/^xref\s+0 \d+\s/.test(table)) throw new Error('The browser wrote a PDF of an unknown kind.')
  const offsets = [...table.matchAll(/^(\d{10}) \d{5} [nf]/gm)].map(([, offset]) => Number(offset))
  const sorted = offsets.slice(1).sort((a, b) => a - b)
  const endOf = new Map(sorted.map((offset, index) => [offset, sorted[index + 1] ?? tableStart]))
  const read = (object: number) => {
    const start = offsets[object] as number
    const whole = bytes.subarray(start, endOf.get(start))
    const content = whole.subarray(whole.indexOf(' obj\n') + 5, whole.lastIndexOf('\nendobj'))
    const hasStream = content.subarray(-10).includes('endstream')
    return { content, bodyEnd: hasStream ? content.indexOf(' stream\n') : content.length }
  }
  return {
    /** The highest number of an object. */
    count: offsets.length - 1,
    trailer: table.slice(table.indexOf('trailer')),
    /** Returns the text of an object without its stream, read as latin1. */
    body(object: number): string {
      const { content, bodyEnd } = read(object)
      return content.toString('latin1', 0, bodyEnd)
    },
    /** Returns the stream of an object with its keywords; null = it has none. */
    stream(object: number): Buffer | null {
      const { content, bodyEnd } = read(object)
      return bodyEnd === content.length ? null : content.subarray(bodyEnd)
    },
  }
}

/** Returns the number of the object that a key of a dictionary names; 0 = none. */
export function reference(key: string, body: string): number {
  return Number(new RegExp(`/${key} (\\d+) 0 R`).exec(body)?.[1] ?? 0)
}

/** Lists the numbers of the objects that a key names, in an array or alone. */
export function references(key: string, body: string): number[] {
  const list = new RegExp(`/${key} (?:\\[([^\\]]*)\\]|(\\d+ 0 R))`).exec(body)
  return [...(list?.[1] ?? list?.[2] ?? '').matchAll(/(\d+) 0 R/g)].map(([, object]) => Number(object))
}

/** Lists the page objects in their order. */
export function listPages(pdf: ReadPdf, node: number): number[] {
  const body = pdf.body(node)
  return body.includes('/Type /Pages') ? references('Kids', body).flatMap(kid => listPages(pdf, kid)) : [node]
}
