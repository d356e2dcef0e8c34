import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { followSettings, readFollowFlags } from '../../server/flags/follow-settings.ts'
import { logSettings, readLogFlags } from '../../server/flags/log-settings.ts'
import { parse } from './parse.ts'

const read = (...args: string[]) => readLogFlags(parse(logSettings, ...args))
const follow = (...args: string[]) => readFollowFlags(parse(followSettings, ...args)).log

test('--markdown-as-ai is a setting of every command that reads logs, and off by default', () => {
  expect(read()).toEqual({})
  expect(read('--markdown-as-ai')).toEqual({ markdownAsAi: true })
  expect(follow()).toEqual({})
  expect(follow('--follow-markdown-as-ai')).toEqual({ markdownAsAi: true })
})

test('--agents-file is read with every command that reads logs', () => {
  const folder = mkdtempSync(join(tmpdir(), 'quire-agents-file-'))
  const file = join(folder, 'agents.json')
  const agent = { name: 'OurBot', class: 'search', contains: ['OurBot/'], ranges: [], complete: false }
  writeFileSync(file, JSON.stringify({ agents: [agent] }))
  const agents = { source: file, agents: [agent] }
  expect(read('--agents-file', file)).toEqual({ agents })
  expect(follow('--follow-agents-file', file)).toEqual({ agents })
  rmSync(folder, { recursive: true })
  expect(() => read('--agents-file', file)).toThrow(`'${file}' is invalid. It cannot be read (ENOENT).`)
})

test('--format takes a name or a pattern, and --envelope a name, in every command that reads logs', () => {
  const format = '%h %t "%r" %>s "%{User-Agent}i"'
  expect(read('--format', format, '--envelope', 'cri')).toEqual({ format, envelope: 'cri' })
  expect(follow('--follow-format', format, '--follow-envelope', 'none')).toEqual({ format, envelope: 'none' })
  expect(read('--format', 'aws-alb')).toEqual({ format: 'aws-alb' })
})

test.each([
  [
    ['--format', 'morse'],
    /Allowed choices are cloudfront, .*, json, or a text with variables such as \$remote_addr or %h/,
  ],
  [['--format', '$remote_addr'], /--format lacks the time, request, status, user agent/],
  [
    ['--envelope', 'paper'],
    /Allowed choices are syslog, syslog-5424, cri, docker, docker-compose, journald, kubectl, record, otlp-body, none/,
  ],
])('refuses %j', (args, message) => {
  expect(() => read(...args)).toThrow(message)
})

test('the error of a pattern has the name of the flag in the command', () => {
  expect(() => follow('--follow-format', '%h %t')).toThrow(/--follow-format lacks the request/)
})
