import { type Argument, Command, Argument as CommanderArgument, Help, type Option } from 'commander'
import { toOption } from '../flags/setting.ts'
import { shared } from '../flags/shared-settings.ts'
import { writeBash } from './completion/bash.ts'
import type { CommandNode, OptionNode, ValueNode } from './completion/command-tree.ts'
import { writeFish } from './completion/fish.ts'
import { writeZsh } from './completion/zsh.ts'
import { printJson } from './print.ts'

const writers = { bash: writeBash, zsh: writeZsh, fish: writeFish }

/** @param loadCommands returns all commands of the program, which may have loaded only one. */
export function completionCommand(program: Command, loadCommands: () => Promise<Command[]>): Command {
  return new Command('completion')
    .description('print a script that completes commands and flags in a shell')
    .addArgument(new CommanderArgument('<shell>', 'the shell').choices(Object.keys(writers)))
    .addOption(toOption(shared.json))
    .addHelpText(
      'after',
      `
Examples:
  npx quire completion bash > ~/.local/share/bash-completion/completions/quire
  npx quire completion zsh > ~/.zfunc/_quire
  npx quire completion fish > ~/.config/fish/completions/quire.fish

It completes the command "quire": the single binary, or an installed package. For zsh, the folder must be in fpath before
compinit runs.`,
    )
    .action(async (shell: keyof typeof writers, { json }: { json?: boolean }) => {
      const commands = (await loadCommands()).map(readCommand)
      const script = writers[shell]({ ...readCommand(program), name: '', commands })
      if (json) printJson({ shell, script })
      else process.stdout.write(script)
    })
}

/** Turns a command of commander into plain data. */
export function readCommand(command: Command): CommandNode {
  return {
    name: command.name(),
    description: command.description(),
    // Of the help, because only that has the flag --help. A new help shows all flags.
    options: new Help().visibleOptions(command).map(readOption),
    arguments: command.registeredArguments.map(readArgument),
    commands: command.commands.map(readCommand),
  }
}

function readOption({ long, short, description, required, optional, argChoices, flags }: Option): OptionNode {
  const takesValue = required || optional
  return {
    names: [long, short].filter(name => name !== undefined),
    description,
    value: takesValue ? readValue(/[<[]([^\]>.]+)/.exec(flags)?.[1] ?? 'value', argChoices) : null,
  }
}

function readArgument(argument: Argument): ValueNode {
  return readValue(argument.name(), argument.argChoices)
}

/** A placeholder such as `<folder>` says what a value is. */
function readValue(name: string, choices: readonly string[] | undefined): ValueNode {
  if (choices) return { name, kind: 'choice', choices: [...choices] }
  const kind = /folder/.test(name) ? 'folder' : /file|path|archive|bundle|target|backup/.test(name) ? 'file' : 'text'
  return { name, kind, choices: [] }
}
