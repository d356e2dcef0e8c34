import { type CommandNode, listCommands, type OptionNode, type ValueNode } from './command-tree.ts'
import { quote, shorten } from './shell-text.ts'

/** Writes a completion script for zsh. It works when it is sourced, and as a file `_quire` in `fpath`. */
export function writeZsh(program: CommandNode): string {
  const functions = listCommands(program).map(({ path, node }) => writeFunction(path, node))
  return `#compdef quire
# Completion of quire for zsh. Made by: quire completion zsh

${functions.join('\n')}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
  _quire "$@"
else
  compdef _quire quire
fi
`
}

function writeFunction(path: string, node: CommandNode): string {
  const options = node.options.flatMap(toSpecs)
  if (node.commands.length === 0) {
    const values = node.arguments.map((value, index) => quote(`${index + 1}:${value.name}:${toAction(value)}`))
    return `${nameOf(path)}() {\n  _arguments \\\n    ${[...options, ...values].join(' \\\n    ')}\n}\n`
  }
  const described = node.commands.map(({ name, description }) => quote(`${name}:${shorten(description)}`))
  const branches = node.commands.map(({ name }) => `        ${name}) ${nameOf(`${path} ${name}`.trim())} ;;`)
  return `${nameOf(path)}() {
  local curcontext="$curcontext" state line
  typeset -A opt_args
  _arguments -C \\
    ${[...options, quote('1: :->command'), quote('*:: :->rest')].join(' \\\n    ')}
  case $state in
    command)
      local -a commands=(
        ${described.join('\n        ')}
      )
      _describe command commands ;;
    rest)
      case $line[1] in
${branches.join('\n')}
      esac ;;
  esac
}
`
}

function nameOf(path: string): string {
  return path === '' ? '_quire' : `_quire_${path.replaceAll(/[ -]/g, '_')}`
}

function toSpecs({ names, description, value }: OptionNode): string[] {
  const text = shorten(description).replaceAll(/[\\[\]:]/g, '\\$&')
  const after = value === null ? '' : `:${value.name}:${toAction(value)}`
  return names.map(name => quote(`*${name}[${text}]${after}`))
}

function toAction({ kind, choices }: ValueNode): string {
  if (kind === 'choice') return `(${choices.join(' ')})`
  return kind === 'file' ? '_files' : kind === 'folder' ? '_files -/' : ' '
}
