import { expect, test } from 'vitest'
import { RecordUnpacker } from '../../../server/analytics/import/unpack-records.ts'
import fc from '../../support/fast-check.ts'

function unpack(text: string | Buffer, chunkBytes = Number.POSITIVE_INFINITY) {
  const out: Buffer[] = []
  const records = new RecordUnpacker(bytes => out.push(Buffer.from(bytes)))
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; at += chunkBytes) records.push(Buffer.from(bytes.subarray(at, at + chunkBytes)))
  const damage = records.end()
  return { text: Buffer.concat(out).toString(), damage }
}

const record = { a: ['}', { b: '"]' }], c: 'x\\' }
const otlp = (...records: object[]) => ({
  resourceLogs: [
    {
      resource: { attributes: [{ key: 'k', value: { arrayValue: { values: [{ stringValue: 'v' }] } } }] },
      scopeLogs: [{ scope: { name: 's', attributes: [{ key: 'k' }] }, logRecords: records }, { logRecords: [] }],
    },
  ],
})

test.each([
  ['an array of objects', JSON.stringify([record, { d: 1 }]), [record, { d: 1 }]],
  ['an indented array', JSON.stringify([record, { d: 1 }], null, 2), [record, { d: 1 }]],
  ['an array after a byte order mark', `\ufeff \n[{"d":1}]\n`, [{ d: 1 }]],
  ['an empty array', ' [ ] ', []],
  ['two arrays', '[{"d":1}]\n[{"d":2}]', [{ d: 1 }, { d: 2 }]],
  ['numbers and words', '[{"d":1}, 12,null ,[3]]', [{ d: 1 }, 12, null, [3]]],
  ['the records of OTLP', JSON.stringify(otlp(record, { e: [{ f: [{}] }] })), [record, { e: [{ f: [{}] }] }]],
  [
    'several requests of OTLP',
    [otlp(record), otlp({ d: 2 })].map(each => JSON.stringify(each)).join('\n'),
    [record, { d: 2 }],
  ],
  ['OTLP without records', JSON.stringify({ resourceLogs: [] }), []],
])('%s: one line for each record, in chunks of any size', (_, text, records) => {
  for (const chunkBytes of [1, 2, 7, 64, 4096]) {
    const { text: lines, damage } = unpack(text, chunkBytes)
    expect({
      lines: lines
        .split('\n')
        .slice(0, -1)
        .map(line => JSON.parse(line)),
      damage,
    }).toEqual({ lines: records })
  }
})

test('a record that is a string is its text, without the line break at its end', () => {
  const lines = ['1.2.3.4 - - "GET / HTTP/1.1"', 'ü "x"\n', 'a\nb\r\n', '']
  expect(unpack(JSON.stringify(lines)).text).toBe('1.2.3.4 - - "GET / HTTP/1.1"\nü "x"\na\nb\n\n')
})

test.each([
  '',
  '\n\n',
  '1.2.3.4 - - [x]\n',
  '[pod/web/nginx] x\n',
  '[20/Nov/2026] x',
  '{"a":1}\n{"a":2}\n',
  '\ufeff#Fields: a',
])('the text %j passes unchanged', text => expect(unpack(text, 3)).toEqual({ text, damage: undefined }))

test.each([
  ['[{"a":1},{"b"', 'The JSON is cut off: a bracket is not closed.'],
  ['[{"a":1},"b', 'The JSON is cut off: a bracket is not closed.'],
  [`[{"a":1}}]`, 'The JSON has a closing bracket without its opening one.'],
  ['[{"a":1}] x', 'The JSON ends too early: other text follows it.'],
  [JSON.stringify(otlp({ a: 1 })).slice(0, -3), 'The JSON is cut off: a bracket is not closed.'],
])('%s: the complete records are read, and the damage is told', (text, damage) => {
  expect(unpack(text)).toEqual({ text: '{"a":1}\n', damage })
})

test('a record of any size takes the memory of a line, and stays too long', () => {
  const { text, damage } = unpack(`[{"a":"${'x'.repeat(3_000_000)}"},{"b":1}]`, 1000)
  expect(damage).toBeUndefined()
  expect(text.length).toBe(64 * 1024 + 1 + '\n{"b":1}\n'.length)
  expect(text.endsWith('\n{"b":1}\n')).toBe(true)
})

test('any JSON in an array comes out as it went in', () => {
  fc.assert(
    fc.property(
      fc.array(fc.dictionary(fc.string(), fc.jsonValue())),
      fc.nat(40),
      fc.nat(3),
      (records, chunk, indent) => {
        const lines = unpack(JSON.stringify(records, null, indent), chunk + 1)
          .text.split('\n')
          .slice(0, -1)
        expect(lines.map(line => JSON.stringify(JSON.parse(line)))).toEqual(records.map(each => JSON.stringify(each)))
      },
    ),
  )
})
