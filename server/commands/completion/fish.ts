import { type CommandNode, listCommands, type OptionNode } from './command-tree.ts'
import { shorten } from './shell-text.ts'

/** Writes a completion script for fish 3 and newer. */
export function writeFish(program: CommandNode): string {
  const commands = listCommands(program)
  const valued = new Set(
    commands.flatMap(({ node }) => node.options.filter(({ value }) => value).flatMap(({ names }) => names)),
  )
  const lines = commands.flatMap(({ path, node }) => [
    ...node.commands.map(({ name, description }) =>
      complete(path, `-a ${quote(name)} -d ${quote(shorten(description))}`),
    ),
    ...node.options.map(option => complete(path, toFlags(option))),
    ...node.arguments.slice(0, 1).flatMap(({ kind, choices }) => {
      if (kind === 'choice') return [complete(path, `-a ${quote(choices.join(' '))}`)]
      return kind === 'text' ? [] : [complete(path, '-F')]
    }),
  ])
  return `# Completion of quire for fish. Made by: quire completion fish
set -g __quire_commands ${commands
    .slice(1)
    .map(({ path }) => quote(path))
    .join(' ')}
set -g __quire_valued ${[...valued].join(' ')}

# Whether the cursor is below this command. The value of an option is not a command.
function __quire_at
    set -l at ''
    set -l before ''
    for word in (commandline -opc)[2..-1]
        set -l next (string trim -- "$at $word")
        if contains -- $next $__quire_commands; and not contains -- "$before" $__quire_valued
            set at $next
        end
        set before $word
    end
    test "$at" = "$argv[1]"
end

complete -c quire -f
${lines.join('\n')}
`
}

function complete(path: string, rest: string): string {
  return `complete -c quire -n ${quote(`__quire_at ${quote(path)}`)} ${rest}`
}

function toFlags({ names, description, value }: OptionNode): string {
  const flags = names.map(name => (name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`))
  const parts = [...flags, `-d ${quote(shorten(description))}`]
  if (value !== null) {
    // `-r` alone would also offer files.
    parts.push(value.kind === 'file' ? '-r' : '-x')
    if (value.kind === 'choice') parts.push(`-a ${quote(value.choices.join(' '))}`)
    if (value.kind === 'file') parts.push('-F')
    if (value.kind === 'folder') parts.push(`-a ${quote('(__fish_complete_directories)')}`)
  }
  return parts.join(' ')
}

function quote(text: string): string {
  return `'${text.replaceAll(/[\\']/g, '\\$&')}'`
}
