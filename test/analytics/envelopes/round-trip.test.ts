import { expect, test } from 'vitest'
import { emptyContent } from '../../../server/analytics/envelopes/envelope.ts'
import { docker, envelopes } from '../../../server/analytics/envelopes/envelopes.ts'
import { generateAccessLog } from '../../../server/commands/demo/access-log.ts'
import { readLog } from '../import/read-log.ts'

const paths = ['/', '/a', '/b/c', '/caf\u00e9', '/a%20b']
const lines = [...generateAccessLog({ seed: 11, lines: 2000, from: 20_700, to: 20_703, paths })]
const time = '2025-11-20T10:11:12.123456789Z'

function splitIntoParts(line: string): string[] {
  const at = Math.floor(line.length / 2)
  return [`${time} stdout P ${line.slice(0, at)}`, `${time} stdout F ${line.slice(at)}`]
}

const wraps: [name: string, envelope: string, wrap: (line: string, i: number) => string | string[]][] = [
  ['RFC 3164', 'syslog', line => `<190>Nov  2 10:11:12 web1 nginx: ${line}`],
  ['RFC 3164 without host and priority', 'syslog', line => `Nov 20 10:11:12 nginx[812]:  ${line}`],
  ['rsyslog', 'syslog', line => `2025-11-20T10:11:12.123456+01:00 web1.example.com nginx: ${line}`],
  ['RFC 5424', 'syslog-5424', line => `<190>1 ${time} web1 nginx 812 ID47 [a@1 b="\\"]"] ${line}`],
  ['RFC 5424 with lengths', 'syslog-5424', line => `231 <190>1 - - nginx - - - ${line}`],
  ['containerd', 'cri', line => `${time} stderr F ${line}`],
  ['containerd with other tags', 'cri', line => `2025-11-20T10:11:12+08:00 stdout F:x ${line}`],
  ['containerd in parts', 'cri', (line, i) => (i % 3 === 0 ? splitIntoParts(line) : `${time} stdout F ${line}`)],
  ['Docker', 'docker', line => JSON.stringify({ log: `${line}\n`, stream: 'stdout', attrs: { a: 'b' }, time })],
  ['Docker Compose', 'docker-compose', line => `docs-web-1  | ${line}`],
  ['Docker Compose with colors and times', 'docker-compose', line => `\x1b[36mweb_1 |\x1b[0m ${time} ${line}`],
  ['kubectl with names', 'kubectl', line => `[pod/web-7d4b9c-x2x/nginx] ${line}`],
  ['kubectl with times', 'kubectl', line => `${time} ${line}`],
  ['kubectl with names and times', 'kubectl', line => `[pod/web-7d4b9c-x2x/nginx] ${time} ${line}`],
  ['journald', 'journald', line => JSON.stringify({ MESSAGE: line, __REALTIME_TIMESTAMP: '1' })],
  [
    'journald in bytes',
    'journald',
    line => JSON.stringify({ __REALTIME_TIMESTAMP: '1', MESSAGE: [...Buffer.from(line)] }),
  ],
]

test.each(envelopes)('a line without an envelope is not one of $name', ({ open }) => {
  const unwrap = open()
  for (const line of [...lines.slice(0, 100), '', ' ', '{', '[', '<', '{}', '{"log":"']) {
    const bytes = Buffer.from(line)
    expect(unwrap(bytes, 0, bytes.length, emptyContent()), line).toBe(false)
  }
})

const plain = readLog(lines.join('\n'))

test.each(wraps)('2,000 lines in %s count as without the envelope', (_, envelope, wrap) => {
  const { reader, tally, views } = readLog(lines.flatMap(wrap).join('\n'))
  expect(reader.envelope?.name).toBe(envelope)
  expect(views).toEqual(plain.views)
  expect({ ...tally.filtered, comment: 0 }).toEqual(plain.tally.filtered)
  expect(tally.malformed).toEqual(plain.tally.malformed)
  expect(tally.rules).toEqual(plain.tally.rules)
})

/** Texts with the first and the last pair of surrogates, and with halves of pairs before and after other text. */
const pairs = ['\ud83d\ude00', '\ud800\udc00', '\udbff\udfff']
const halves = ['\ud83d', '\u00e9\ude00', '\uff5e\ude00', '\ud83d\ud83d', '\ud83d\ue000', '\ud83dxude00', '\ud83d"de00']

test.each(['a', '"\\/\b\f\n\r\t', '\u0001\u001f', 'caf\u00e9 \u20ac', ...pairs, ...halves, 'x'.repeat(60_000)])(
  'decodes the JSON text %j',
  text => {
    const unwrap = docker.open()
    const escaped = JSON.stringify(text).replaceAll(
      /[^ -~]/g,
      char => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
    )
    for (const json of [JSON.stringify(text), escaped]) {
      const bytes = Buffer.from(`{"log":${json},"stream":"stderr","time":"${time}"}`)
      const content = emptyContent()
      expect(unwrap(bytes, 0, bytes.length, content)).toBe(true)
      const got = content.bytes.toString('utf8', content.start, content.end)
      expect(got).toBe(Buffer.from(text.replace(/\r?\n$/, '')).toString())
      expect(content.key).toBe(1)
    }
  },
)

test.each([
  '{"log":"x","stream":"stdout"',
  '{"log":"x"}',
  '{"log":"\\u12","stream":"stdout"}',
  '{"log":"x\\',
  '{"log":1,"stream":"stdout"}',
  '{"message":"x","log":"y","stream":"stdout"}',
])('%s is no line of Docker', text => {
  const bytes = Buffer.from(`${text}\n{"log":"y","stream":"stdout"}`)
  expect(docker.open()(bytes, 0, text.length, emptyContent())).toBe(false)
})
