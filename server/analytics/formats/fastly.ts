import { createJsonDialect, findField } from './json-line.ts'

/**
 * Fastly's log streaming with the JSON format that its documentation proposes, in its current and its older names. Lines of
 * a shield repeat those of the edge and are not counted. A client field is a dotted path.
 * https://www.fastly.com/documentation/guides/integrations/logging-endpoints/
 */
export const fastly = createJsonDialect({
  name: 'fastly',
  read(entry, clientField) {
    if (entry.request_user_agent === undefined || entry.client_ip === undefined) return undefined
    if (entry.fastly_is_edge === false) return 'comment'
    return {
      time: entry.timestamp ?? entry.time_start,
      method: entry.request_method ?? entry.request,
      target: entry.url,
      status: entry.response_status ?? entry.status,
      userAgent: entry.request_user_agent,
      address: entry.client_ip,
      client: clientField === undefined ? undefined : findField(entry, clientField),
      host: entry.host,
      referrer: entry.request_referer,
      accept: entry.request_accept_content ?? entry.request_accept,
    }
  },
})
