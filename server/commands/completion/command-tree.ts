/** What a shell completes below a command. Plain data, so that the scripts of the shells do not depend on commander. */
export interface CommandNode {
  /** '' = the program. */
  name: string
  description: string
  options: OptionNode[]
  arguments: ValueNode[]
  commands: CommandNode[]
}

export interface OptionNode {
  /** Such as `--data` and `-o`. */
  names: string[]
  description: string
  /** Null = it takes no value. */
  value: ValueNode | null
}

export interface ValueNode {
  /** Such as `folder`. */
  name: string
  kind: 'choice' | 'file' | 'folder' | 'text'
  /** Of a choice. */
  choices: string[]
}

/** Lists a command and all below it, with the words that lead to it, such as `visits import`; '' = the program. */
export function listCommands(node: CommandNode, path = ''): { path: string; node: CommandNode }[] {
  const below = node.commands.flatMap(child => listCommands(child, `${path} ${child.name}`.trim()))
  return [{ path, node }, ...below]
}
