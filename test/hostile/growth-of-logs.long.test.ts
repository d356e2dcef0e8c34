import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { decide } from '../../server/analytics/agents/classify.ts'
import { explainUserAgent } from '../../server/analytics/agents/explain-user-agent.ts'
import { detectDialectOfLine } from '../../server/analytics/envelopes/detect-dialect.ts'
import { emptyContent } from '../../server/analytics/envelopes/envelope.ts'
import { envelopes } from '../../server/analytics/envelopes/envelopes.ts'
import { findClient, toCanonicalAddress, toCanonicalHostname } from '../../server/analytics/formats/address.ts'
import { formats } from '../../server/analytics/formats/formats.ts'
import { createJsonFormat, parseJsonFields } from '../../server/analytics/formats/json.ts'
import { emptyLogLine, type LogFormat } from '../../server/analytics/formats/log-format.ts'
import { createPatternFormat } from '../../server/analytics/formats/pattern-format.ts'
import { acceptsMarkdown } from '../../server/analytics/import/view-adder.ts'
import { isLabel } from '../../server/analytics/labels.ts'
import { toPage } from '../../server/analytics/page.ts'
import { readLog } from '../analytics/import/read-log.ts'
import { fragments, measureGrowth } from './growth.ts'

/** Three times the longest line that is read. */
const maxLength = 188_000

const withPatterns: LogFormat[] = [
  ...formats,
  createJsonFormat(parseJsonFields('time=t,method=m,path=p,status=s,userAgent=u,address=a')),
  createPatternFormat('$remote_addr [$time_local] "$request" $status "$http_referer" "$http_user_agent" "$http_host"'),
  createPatternFormat('%h %l %u %t \\"%r\\" %>s %b \\"%{Referer}i\\" \\"%{User-Agent}i\\" %{Host}i'),
]
const samples = join(import.meta.dirname, '../analytics/formats/samples')
const line = readFileSync(join(samples, 'combined.txt'), 'utf8').split('\n', 1)[0] ?? ''

describe.each(withPatterns)('format $name', format => {
  test.each<[string, (text: string) => string]>([
    ['a line', text => text],
    ['a line that begins well', text => line + text],
    ['a line with a long user agent', text => line.replace('Mozilla', () => text)],
    ['a line with a long target', text => line.replace('/guide', () => `/guide${text}`)],
    ['a JSON line', text => JSON.stringify({ t: text, p: text, s: text, u: text, a: text, request: { uri: text } })],
  ])('reads %s in linear time', async (_, makeLine) => {
    const parse = (text: string) => {
      const bytes = Buffer.from(makeLine(text))
      const parser = format.open({})
      parser.parse(bytes, 0, bytes.length, emptyLogLine())
      parser.decodeHeader(text)
      parser.decodeTarget(text)
    }
    expect(await measureGrowth(parse, fragments, maxLength)).toEqual([])
  })
})

test.each(envelopes)('the envelope $name is removed in linear time', async envelope => {
  const parse = (text: string) => {
    for (const beginning of [
      '',
      '{"log":"',
      '<13>1 ',
      'Nov 20 10:11:12 host nginx[1]: ',
      '2026-11-20T10:11:12Z stdout ',
    ]) {
      const bytes = Buffer.from(beginning + text)
      envelope.open()(bytes, 0, bytes.length, emptyContent())
    }
  }
  expect(await measureGrowth(parse, fragments, maxLength)).toEqual([])
})

test.each<[string, (text: string) => unknown]>([
  ['a log of good lines', text => readLog(`${line.replace('Mozilla', () => text.replaceAll('\n', ' '))}\n`)],
  [
    'a line of an unknown dialect',
    text => {
      const bytes = Buffer.from(text)
      return detectDialectOfLine(bytes, 0, bytes.length, {
        format: undefined,
        envelope: undefined,
        clientField: undefined,
      })
    },
  ],
  ['a user agent', decide],
  ['a user agent of a browser', text => decide(`Mozilla/5.0 (Linux; Android 10; ${text}`)],
  ['a user agent that is explained', explainUserAgent],
  ['an Accept header', acceptsMarkdown],
  ['a target', toPage],
  ['an address', text => toCanonicalAddress(text)],
  ['a list of addresses', text => findClient(text, undefined)],
  ['a host name', toCanonicalHostname],
  ['a label', isLabel],
  ['a label of a referral', text => isLabel(`from:${text}`)],
])('%s is read in linear time', async (_, parse) => {
  expect(await measureGrowth(parse, fragments, maxLength)).toEqual([])
})

test('a log is read in linear time', async () => {
  expect(await measureGrowth(text => readLog(text))).toEqual([])
})
