import { Router } from 'express'
import type { FindServerAddress } from './server-address.ts'

/** A document as JSON and as YAML, such as generated/openapi.json and generated/openapi.yaml. */
export interface DocumentTexts {
  json: string
  /** Undefined = only JSON is served. */
  yaml?: string
}

/**
 * Serves a document at `/openapi.json` and `/openapi.yaml` below a folder, with the address of this server in `servers`.
 *
 * @param folder with a slash at its end
 */
export function documentRouter({ json, yaml }: DocumentTexts, folder: string, findAddress: FindServerAddress): Router {
  const router = Router({ caseSensitive: true })
  const add = (path: string, contentType: string, [before, after]: Halves) =>
    router.get(path, (req, res) => {
      res.type(contentType).send(before + findAddress(req).url + after)
    })
  add(`${folder}openapi.json`, 'application/json', splitAtUrl(json, /"servers": \[\s*\{\s*"url": "([^"]+)"/))
  if (yaml !== undefined)
    add(`${folder}openapi.yaml`, 'application/yaml', splitAtUrl(yaml, /^servers:\n\s+- url: (\S+)$/m)) // RFC 9512
  return router
}

type Halves = [before: string, after: string]

/** Splits a text around the URL that the pattern captures at its end or before the closing quote. */
function splitAtUrl(text: string, pattern: RegExp): Halves {
  const match = pattern.exec(text)
  const url = match?.[1]
  if (!match || url === undefined) throw new Error('The document has no server with a URL. Run: npm run generate')
  const start = match.index + match[0].lastIndexOf(url)
  return [text.slice(0, start), text.slice(start + url.length)]
}
