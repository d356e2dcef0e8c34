import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Command, Option } from 'commander'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { writeBash } from '../../../server/commands/completion/bash.ts'
import { writeFish } from '../../../server/commands/completion/fish.ts'
import { writeZsh } from '../../../server/commands/completion/zsh.ts'
import { readCommand } from '../../../server/commands/completion.ts'

const program = new Command('quire').version('1')
program
  .command('serve')
  .description("serve it: [all], at 'once'")
  .option('--data <folder>', 'folder')
  .option('--port <number>')
program
  .command('visits')
  .description('visits')
  .addCommand(new Command('import').description('import logs').argument('<files...>').option('--strict', 'be strict'))
  .addCommand(
    new Command('show').addOption(new Option('-f, --format <style>', 'the style').choices(['wide', 'narrow'])),
  )
const tree = { ...readCommand(program), name: '' }

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'quire-completion-'))
  writeFileSync(join(folder, 'bash'), writeBash(tree))
  writeFileSync(join(folder, 'zsh'), writeZsh(tree))
  writeFileSync(join(folder, 'fish'), writeFish(tree))
  mkdirSync(join(folder, 'here', 'logs'), { recursive: true })
  writeFileSync(join(folder, 'here', 'access.log'), '')
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const isInstalled = (shell: string) => spawnSync(shell, ['-c', ':']).status === 0

/** What each shell offers after a line whose last word may be cut off. */
const completers: Record<string, (line: string) => string> = {
  bash: line => `
    source ${join(folder, 'bash')}
    COMP_WORDS=(${line}${line.endsWith(' ') ? "''" : ''}); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1))
    _quire; printf '%s\\n' "\${COMPREPLY[@]}"`,
  fish: line => `source ${join(folder, 'fish')}; complete -C '${line}' | string replace -r '\\t.*' ''`,
  // Completion functions of zsh run only in an editor, so a terminal is made and Tab is pressed.
  zsh: line => `
    zmodload zsh/zpty
    zpty z zsh -f -i
    zpty -w z "PS1=; autoload -Uz compinit; compinit -D -u; source ${join(folder, 'zsh')}"
    zpty -w z 'compadd() { local -a hits; builtin compadd -O hits "$@"; print -l -- "HIT:"\${^hits}; builtin compadd "$@" }'
    zpty -w z 'zstyle ":completion:*" verbose no; bindkey "^I" complete-word; print READY'
    zpty -r z out '*READY*READY*'
    zpty -n -w z ${JSON.stringify(line)}$'\\t'
    sleep 1
    zpty -r -t z out; while zpty -r -t z more; do out+=$more; done
    print -r -- $out | tr -d '\\r' | sed -n 's/.*HIT://p'`,
}

function complete(shell: string, line: string): string[] {
  const script = completers[shell]?.(line) ?? ''
  const { stdout, stderr } = spawnSync(shell, ['-c', script], {
    encoding: 'utf8',
    cwd: join(folder, 'here'),
    env: { PATH: process.env.PATH, HOME: folder, TERM: 'dumb' },
  })
  expect(stderr).toBe('')
  return [
    ...new Set(
      stdout
        .split('\n')
        .map(word => word.trim())
        .filter(Boolean),
    ),
  ].sort()
}

/** What each shell adds to the name of a folder. */
const folderEnd: Record<string, string> = { bash: '', zsh: '', fish: '/' }

for (const shell of ['bash', 'zsh', 'fish']) {
  const installed = isInstalled(shell)
  describe.skipIf(!installed)(installed ? shell : `${shell}, which is not installed`, () => {
    test.each<[string, string[]]>([
      ['quire s', ['serve']],
      ['quire visits ', ['import', 'show']],
      ['quire visits import --st', ['--strict']],
      ['quire visits show --format ', ['narrow', 'wide']],
      ['quire visits show --format n', ['narrow']],
      ['quire serve --p', ['--port']],
      ['quire serve --port ', []],
      ['quire serve --data ', [`logs${folderEnd[shell]}`]],
      // The value of an option is not a command.
      ['quire serve --data visits --p', ['--port']],
    ])('completes "%s"', (line, want) => {
      expect(complete(shell, line)).toEqual(want)
    })
  })
}

test('bash is installed where the tests run', () => expect(isInstalled('bash')).toBe(true))

test('bash completes files and folders', () => {
  expect(complete('bash', 'quire visits import ')).toEqual(['access.log', 'logs'])
  expect(complete('bash', 'quire serve --data ')).toEqual(['logs'])
  expect(complete('bash', 'quire serve --port ')).toEqual([])
})

test('the tree has every command with its flags, and --help', () => {
  expect(tree.options.map(({ names }) => names)).toContainEqual(['--help', '-h'])
  const show = tree.commands[1]?.commands[1]
  expect(show?.options[0]).toEqual({
    names: ['--format', '-f'],
    description: 'the style',
    value: { name: 'style', kind: 'choice', choices: ['wide', 'narrow'] },
  })
})
