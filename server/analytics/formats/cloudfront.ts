import { type LogFormat, LogFormatError } from './log-format.ts'
import { W3cParser } from './w3c-parser.ts'

/** The columns of a log without a header. CloudFront has kept this order since 2012 and appends new columns. */
const usualColumns =
  'date time x-edge-location sc-bytes c-ip cs-method cs(Host) cs-uri-stem sc-status cs(Referer) cs(User-Agent) ' +
  'cs-uri-query cs(Cookie) x-edge-result-type x-edge-request-id x-host-header cs-protocol cs-bytes time-taken x-forwarded-for'

const clientFields = ['x-forwarded-for', 'c-ip']

/**
 * CloudFront's standard logs: W3C extended format, with tab-separated columns named by `#Fields:`. A client field is the
 * column `x-forwarded-for` or `c-ip`.
 * https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/standard-logs-reference.html
 */
export const cloudfront: LogFormat = {
  name: 'cloudfront',
  hasHost: true,
  open({ clientField }) {
    if (clientField !== undefined && !clientFields.includes(clientField)) {
      throw new LogFormatError(
        `${clientField} is unknown. CloudFront has ${clientFields.join(' and ')}.`,
        'client-field',
      )
    }
    return new W3cParser({ clientField, usualColumns, mustHaveClient: false, isStrict: false })
  },
  recognizes(bytes, start, end) {
    const text = bytes.toString('latin1', start, Math.min(end, start + 1024))
    return (
      /^#Fields: .*\b(x-edge-\w|x-host-header\b)/.test(text) ||
      /^\d{4}-\d\d-\d\d\t\d\d:\d\d:\d\d\t([^\t]*\t){9}/.test(text)
    )
  },
}
