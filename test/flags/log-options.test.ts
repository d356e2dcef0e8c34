import { Command } from 'commander'
import { expect, test } from 'vitest'
import { type FollowFlags, followOptions, readFollowFlags } from '../../server/flags/follow-options.ts'
import { addLogOptions, type LogFlags, readLogFlags } from '../../server/flags/log-options.ts'

const parse = (...args: string[]) =>
  readLogFlags(addLogOptions(new Command().exitOverride()).parse(args, { from: 'user' }).opts<LogFlags>())

function follow(...args: string[]) {
  const command = new Command().exitOverride()
  for (const option of followOptions()) command.addOption(option)
  return readFollowFlags(command.parse(args, { from: 'user' }).opts<FollowFlags>()).log
}

test('--markdown-as-ai is a setting of every command that reads logs, and off by default', () => {
  expect(parse()).toEqual({})
  expect(parse('--markdown-as-ai')).toEqual({ markdownAsAi: true })
  expect(follow()).toEqual({})
  expect(follow('--follow-markdown-as-ai')).toEqual({ markdownAsAi: true })
})

test('--format takes a name or a pattern, and --envelope a name, in every command that reads logs', () => {
  const format = '%h %t "%r" %>s "%{User-Agent}i"'
  expect(parse('--format', format, '--envelope', 'cri')).toEqual({ format, envelope: 'cri' })
  expect(follow('--follow-format', format, '--follow-envelope', 'none')).toEqual({ format, envelope: 'none' })
  expect(parse('--format', 'aws-alb')).toEqual({ format: 'aws-alb' })
})

test.each([
  [
    ['--format', 'morse'],
    /Allowed choices are cloudfront, .*, json, or a text with variables such as \$remote_addr or %h/,
  ],
  [['--format', '$remote_addr'], /--format lacks the time, request, status, user agent/],
  [
    ['--envelope', 'paper'],
    /Allowed choices are syslog, syslog-5424, cri, docker, docker-compose, journald, kubectl, none/,
  ],
])('refuses %j', (args, message) => {
  const command = addLogOptions(new Command().exitOverride().configureOutput({ writeErr: () => {} }))
  expect(() => command.parse(args, { from: 'user' })).toThrow(message)
})

test('the error of a pattern has the name of the flag in the command', () => {
  const command = new Command().exitOverride().configureOutput({ writeErr: () => {} })
  for (const option of followOptions()) command.addOption(option)
  expect(() => command.parse(['--follow-format', '%h %t'], { from: 'user' })).toThrow(
    /--follow-format lacks the request/,
  )
})
