import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Command } from 'commander'
import { expect, test } from 'vitest'
import { addMovingOptions } from '../../mock/moving-flags.ts'
import { createCommandLoaders } from '../../server/commands/command-loaders.ts'
import { flagNames } from '../../spec/package/conformance/options.ts'
import { help as mockHelp } from '../../spec/package/mock-server/options.ts'
import { reportVariables } from '../../spec/package/report/options.ts'
import { repository, texts } from './shipped-documentation.ts'

const community = ['CONTRIBUTING', 'SECURITY', 'pull_request_template'].map(name => `.github/${name}.md`)
/** Without the page that is made from the commands. */
const written = [...texts].filter(([file]) => !file.endsWith('/settings.md'))
const shown = new Map([
  ...written,
  ...community.map(file => [file, readFileSync(join(repository, file), 'utf8')] as const),
])
const manifest = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')) as {
  scripts: Record<string, string>
}

const program = new Command('quire').version('0')
for (const load of createCommandLoaders(program).values()) program.addCommand(await load())

interface ShownCommand {
  file: string
  line: string
  /** The words after `quire`. A quoted text is one word. */
  words: string[]
}

/** `npx quire ...` and `npm run -s quire -- ...` in code, and `quire ...` in sentences. */
const pattern = /(?:npm run -s quire -- |npx quire |`quire )([^`\n|]*)/g

function listCommands(file: string, text: string): ShownCommand[] {
  return [...text.matchAll(pattern)].map(([line, written = '']) => {
    const words = written.replaceAll(/'[^']*'|"[^"]*"/g, 'quoted').split(/\s+/)
    return { file, line, words: words.filter(Boolean) }
  })
}

const commands = [...shown].flatMap(([file, text]) => listCommands(file, text))

/** Returns the command that the words call, and the remaining words. */
function findCommand(words: string[]): { command: Command; rest: string[] } {
  let command = program
  let rest = words
  for (;;) {
    const next = command.commands.find(each => each.name() === rest[0])
    if (!next) return { command, rest }
    command = next
    rest = rest.slice(1)
  }
}

function hasFlag({ options }: Command, flag: string): boolean {
  return options.some(({ short, long }) => short === flag || long === flag) || flag === '--help'
}

test('the texts show every command', () => {
  const leaves = (command: Command): Command[] =>
    command.commands.length === 0 ? [command] : command.commands.flatMap(leaves)
  const called = new Set(commands.map(({ words }) => findCommand(words).command))
  const missing = leaves(program).filter(command => !called.has(command))
  // `npm start` runs `quire demo`.
  expect(missing.map(command => command.name())).toEqual(['demo'])
})

test('every shown command exists', () => {
  // If a word is left after `quire` or after a group of commands, it is not a command, unless the group takes one.
  const wrong = commands.filter(({ words }) => {
    const { command, rest } = findCommand(words)
    const isGroup = command.commands.length > 0 && command.registeredArguments.length === 0
    return isGroup && rest.length > 0 && !rest[0]?.startsWith('-')
  })
  expect(wrong).toEqual([])
})

test('every shown command has the flags that are shown with it', () => {
  const wrong = commands.filter(({ words }) => {
    const { command, rest } = findCommand(words)
    return rest.some(word => /^--?[a-z]/.test(word) && !hasFlag(command, word))
  })
  expect(wrong).toEqual([])
})

test('every flag that a sentence names belongs to a command', () => {
  const flags = (command: Command): string[] => [
    ...command.options.flatMap(({ short, long }) => [short ?? '', long ?? '']),
    ...command.commands.flatMap(flags),
  ]
  const mock = addMovingOptions(new Command('mock'))
  const known = new Set([
    ...flags(program),
    ...flags(mock),
    ...flagNames,
    ...(mockHelp.match(/--[a-z][a-z-]*/g) ?? []),
    '--help',
    '--check',
    '--only',
    '--write',
    '--release',
    '--target',
    '--output',
    '--images',
    '--image-base',
  ])
  const named = [...shown].flatMap(([file, text]) =>
    [...text.matchAll(/`(--[a-z][a-z0-9-]*)/g)].map(([, flag = '']) => ({ file, flag })),
  )
  expect(named.length).toBeGreaterThan(20)
  expect(named.filter(({ flag }) => !known.has(flag))).toEqual([])
})

test('every shown npm script exists', () => {
  const named = [...shown].flatMap(([file, text]) =>
    [...text.matchAll(/npm (?:run (?:-s )?([a-z:-]+)|(test|start)\b)/g)].map(([, script, known]) => ({
      file,
      name: script ?? known ?? '',
    })),
  )
  expect(named.length).toBeGreaterThan(20)
  expect(named.filter(({ name }) => !(name in manifest.scripts))).toEqual([])
})

test('every shown QUIRE_ variable belongs to a flag', () => {
  const variables = (command: Command): string[] => [
    ...command.options.map(({ envVar }) => envVar ?? ''),
    ...command.commands.flatMap(variables),
  ]
  // The curl and client samples read the API key from QUIRE_API_KEY.
  const known = new Set([
    ...variables(program),
    ...reportVariables,
    'QUIRE_TEST_POSTGRES',
    'QUIRE_TEST_SEED',
    'QUIRE_TEST_SHARE',
    'QUIRE_TEST_BINARY',
    'QUIRE_TEST_EARLIER',
  ])
  const named = [...shown.values()].flatMap(text => text.match(/\bQUIRE_[A-Z_]+/g) ?? [])
  expect(named.filter(name => !known.has(name))).toEqual([])
})
