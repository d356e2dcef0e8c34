import { type CommandNode, listCommands, type ValueNode } from './command-tree.ts'
import { quote } from './shell-text.ts'

/** Writes a completion script for bash 4 and newer. */
export function writeBash(program: CommandNode): string {
  const commands = listCommands(program)
  return `# Completion of quire for bash. Made by: quire completion bash
_quire() {
    local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} at='' words='' i
    COMPREPLY=()
    # Finds the command before the cursor. The value of an option is not a command.
    for ((i = 1; i < COMP_CWORD; i++)); do
        case "$at \${COMP_WORDS[i]}" in
${list(commands.flatMap(({ path, node }) => node.options.filter(hasValue).flatMap(({ names }) => names.map(name => `${path} ${name}`))))}
                ((i++)) ;;
${list(commands.slice(1).map(({ path }) => addSpace(path)))}
                at="\${at:+$at }\${COMP_WORDS[i]}" ;;
        esac
    done
    case "$at $prev" in
${commands
  .flatMap(({ path, node }) =>
    node.options.filter(hasValue).map(option =>
      caseOf(
        option.names.map(name => `${path} ${name}`),
        complete(option.value),
      ),
    ),
  )
  .join('\n')}
    esac
    case "$at" in
${commands.map(({ path, node }) => caseOf([path], `words=${quote(listWords(node))}${completeArgument(node)}`, '')).join('\n')}
    esac
    if [[ $cur == -* ]]; then
        COMPREPLY=($(compgen -W "\${words#*|}" -- "$cur"))
    else
        COMPREPLY+=($(compgen -W "\${words%%|*}" -- "$cur"))
    fi
}
complete -F _quire quire
`
}

const hasValue = <T extends { value: ValueNode | null }>(option: T): option is T & { value: ValueNode } =>
  option.value !== null

/** In a pattern, the program itself is '' and every word has a space before it. */
function addSpace(path: string): string {
  const parts = path.split(' ')
  const last = parts.pop() ?? ''
  return `${parts.join(' ')} ${last}`
}

function list(patterns: readonly string[]): string {
  return `            ${patterns.map(quote).join(' | \\\n            ')})`
}

function caseOf(patterns: readonly string[], action: string, then = '; return'): string {
  return `        ${patterns.map(quote).join(' | ')}) ${action}${then} ;;`
}

/** The commands, a bar, and the options. */
function listWords({ commands, options }: CommandNode): string {
  const names = commands.map(({ name }) => name)
  return `${names.join(' ')}|${options.flatMap(option => option.names).join(' ')}`
}

function completeArgument({ arguments: [value] }: CommandNode): string {
  return value === undefined || value.kind === 'text' ? '' : `; [[ $cur == -* ]] || { ${complete(value)}; }`
}

function complete({ kind, choices }: ValueNode): string {
  switch (kind) {
    case 'choice':
      return `COMPREPLY=($(compgen -W ${quote(choices.join(' '))} -- "$cur"))`
    // Bash escapes names only if it knows that they are files.
    case 'file':
      return 'compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -f -- "$cur"))'
    case 'folder':
      return 'compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -d -- "$cur"))'
    case 'text':
      return 'COMPREPLY=()'
  }
}
