import { Command } from 'commander'
import { expect, test } from 'vitest'
import { type FollowFlags, followOptions, readFollowFlags } from '../../server/flags/follow-options.ts'
import { addLogOptions, type LogFlags, readLogFlags } from '../../server/flags/log-options.ts'

test('--markdown-as-ai is a setting of every command that reads logs, and off by default', () => {
  const parse = (...args: string[]) =>
    readLogFlags(addLogOptions(new Command()).parse(args, { from: 'user' }).opts<LogFlags>())
  expect(parse()).toEqual({})
  expect(parse('--markdown-as-ai')).toEqual({ markdownAsAi: true })

  const follow = (...args: string[]) => {
    const command = new Command()
    for (const option of followOptions()) command.addOption(option)
    return readFollowFlags(command.parse(args, { from: 'user' }).opts<FollowFlags>()).log
  }
  expect(follow()).toEqual({})
  expect(follow('--follow-markdown-as-ai')).toEqual({ markdownAsAi: true })
})
