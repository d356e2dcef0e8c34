import { PassThrough } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import type { RunError } from '../../../server/agent/run-end.ts'
import { readMessages } from '../../../server/agent/session/read-messages.ts'

function start(maxBytes = 10e6) {
  const stream = new PassThrough()
  const messages: unknown[] = []
  const errors: RunError[] = []
  readMessages(stream, {
    maxBytes,
    onMessage: message => messages.push(message),
    onExceeded: error => errors.push(error),
  })
  return { stream, messages, errors }
}

test('messages are read however their bytes are divided', async () => {
  const text = Buffer.from('{"a":"é"}\n\n{"b":2}\r\nnot JSON\n[1]\n{"c"\n{"d":[{}]}\n{"never":')
  for (const size of [1, 2, 3, 7, text.length]) {
    const { stream, messages, errors } = start()
    for (let at = 0; at < text.length; at += size) stream.write(text.subarray(at, at + size))
    await expect.poll(() => messages).toEqual([{ a: 'é' }, { b: 2 }, { d: [{}] }])
    expect(errors).toEqual([])
  }
})

test.for([
  ['one line', 'x'.repeat(1024 ** 2 + 1), 'more than 1 MB.'],
  ['one line with an end', `${'x'.repeat(1024 ** 2 + 1)}\n`, 'more than 1 MB.'],
  ['all lines', `${'x'.repeat(99)}\n`.repeat(30_000), 'more than 2 MB.'],
] as const)('nothing more is read after the limit of %s, which is told once', async ([, text, sentence]) => {
  const { stream, messages, errors } = start(2e6)
  stream.write(text)
  stream.write('{"late":1}\n')
  await expect.poll(() => errors).toEqual([expect.objectContaining({ code: 'resource_limit' })])
  stream.write('{"late":1}\n')
  await pause(150)
  expect([errors.length, errors[0]?.message, messages]).toEqual([1, expect.stringContaining(sentence), []])
})

test('a program that writes fast has to wait', async () => {
  const { stream, messages } = start()
  const pauses = vi.spyOn(stream, 'pause')
  const line = `{"a":"${'x'.repeat(1000)}"}\n`
  stream.write(line.repeat(1100))
  stream.write(line)
  await expect.poll(() => messages.length).toBe(1101)
  expect(pauses).toHaveBeenCalledOnce()
})
