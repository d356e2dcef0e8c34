/** The page for missing addresses of a site that has none. */
export const plainNotFound =
  '<!doctype html>\n<html lang="en"><meta charset="utf-8"/><meta name="viewport" content="width=device-width"/>' +
  '<title>Page not found</title>\n<h1>Page not found</h1>\n<p>This site has no page with this address. ' +
  '<a href="/">Go to its first page.</a></p>\n'

/** The first tags of a page that an export has sealed. */
const seal = /<meta charset="[^"]*"\/><meta http-equiv="Content-Security-Policy"/

/**
 * Makes the links of a site's page for missing addresses work at every address. They are relative to the root. The added `base`
 * comes before the policy in the page, which would forbid it.
 */
export function adaptNotFoundPage(page: Buffer): Buffer {
  const text = page.toString('latin1')
  if (/<base\s[^>]*href/i.test(text)) return page
  const at = text.search(seal)
  const head = /<head(\s[^>]*)?>/i.exec(text)
  const position = at !== -1 ? at : head ? head.index + head[0].length : -1
  if (position === -1) return page
  return Buffer.from(`${text.slice(0, position)}<base href="/"/>${text.slice(position)}`, 'latin1')
}
