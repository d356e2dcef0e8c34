import { runQuire } from './process.ts'

/** The help of one command. */
export interface CommandHelp {
  /** Such as `visits import`; '' = the program. */
  name: string
  text: string
  /** The lines below "Examples:". */
  examples: string[]
}

/** Reads `--help` of the program and of every command, as a user sees it. */
export async function readAllHelp(words: readonly string[] = []): Promise<CommandHelp[]> {
  const { stdout: text } = await runQuire([...words, '--help'])
  const own = { name: words.join(' '), text, examples: listIndented(text, 'Examples:') }
  // The commands of the program are in groups. Commander indents a description that continues further than a name.
  const headings = text
    .split('\n')
    .filter(line => /^[A-Z].*:$/.test(line) && !/^(?:Options|Arguments|Examples):/.test(line))
  const children =
    words.length > 0 ? listIndented(text, 'Commands:') : headings.flatMap(heading => listIndented(text, heading))
  const names = children
    .filter(line => /^\S/.test(line))
    .map(line => line.split(/[ |]/, 1)[0] ?? '')
    .filter(name => name !== 'help')
  const below = await Promise.all(names.map(name => readAllHelp([...words, name])))
  return [own, ...below.flat()]
}

/** The lines below a heading, up to an empty line, without their indentation by two. */
function listIndented(text: string, heading: string): string[] {
  const lines = text.split('\n')
  const start = lines.indexOf(heading)
  if (start === -1) return []
  const rest = lines.slice(start + 1)
  const end = rest.findIndex(line => !line.startsWith('  '))
  return rest.slice(0, end === -1 ? rest.length : end).map(line => line.slice(2))
}
