/** Returns the address for a line. Each line has a different address, so that a lost line is a missing visitor. */
export function toAddress(number: number): string {
  return `10.${number >> 16}.${(number >> 8) & 255}.${number & 255}`
}

/** Returns a line in combined format, with its line break: a person views a page. */
export function toLine(number: number, date = '20/Nov/2026:10:11:12 +0000'): string {
  return (
    `${toAddress(number)} - - [${date}] "GET /page-${number % 50} HTTP/1.1" 200 1234 "-" ` +
    '"Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0"\n'
  )
}

/** Removes the warning that each page view is of a different visitor, which is true of these lines. */
export function dropVisitorWarnings(errors: string): string {
  return errors.replaceAll(/^.*\[all-new-visitors\]\n/gm, '')
}
