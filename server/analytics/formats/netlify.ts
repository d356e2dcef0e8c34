import { createJsonDialect, findField, findUrlHost } from './json-line.ts'

/**
 * Traffic logs of Netlify's log drains as JSON lines. The drain must not exclude personal data, which would remove address
 * and user agent. Lines of functions and deploys are not counted. A client field is a dotted path.
 * https://docs.netlify.com/manage/monitoring/log-drains/
 */
export const netlify = createJsonDialect({
  name: 'netlify',
  read(entry, clientField) {
    if (typeof entry.log_type !== 'string' || (entry.site_id ?? entry.account_id) === undefined) return undefined
    if (entry.log_type !== 'traffic') return 'comment'
    return {
      time: entry.timestamp,
      method: entry.method,
      target: entry.url,
      status: entry.status_code,
      userAgent: entry.user_agent,
      address: entry.client_ip,
      client: clientField === undefined ? undefined : findField(entry, clientField),
      host: findUrlHost(entry.url),
      referrer: entry.referrer,
    }
  },
})
