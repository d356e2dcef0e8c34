import { asObject, createJsonDialect, findField } from './json-line.ts'

/**
 * Vercel's log drains as JSON lines. Lines without a request, such as those of a build, are not counted. A client field is a
 * dotted path.
 * https://vercel.com/docs/drains/reference/logs
 */
export const vercel = createJsonDialect({
  name: 'vercel',
  read(entry, clientField) {
    const isVercel = typeof entry.source === 'string' && (entry.deploymentId ?? entry.projectId) !== undefined
    const proxy = asObject(entry.proxy)
    if (!proxy) return isVercel ? 'comment' : undefined
    if (typeof entry.source !== 'string') return undefined
    return {
      time: proxy.timestamp ?? entry.timestamp,
      method: proxy.method,
      target: proxy.path,
      status: proxy.statusCode,
      userAgent: proxy.userAgent,
      address: proxy.clientIp,
      client: clientField === undefined ? undefined : findField(entry, clientField),
      host: proxy.host ?? entry.host,
      referrer: proxy.referer,
    }
  },
})
