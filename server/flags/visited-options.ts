import { type Command, Option } from 'commander'
import { OperatorError } from '../base/operator-error.ts'
import { projectOption } from './options.ts'

/** What commander makes of the flags that say whose visits a log tells. */
export interface VisitedFlags {
  project?: string
  byHost?: boolean
}

/** Adds `--project` and `--by-host`, of which one is needed. */
export function addVisitedOptions(command: Command): Command {
  return command
    .addOption(projectOption())
    .addOption(
      new Option('--by-host', 'count each line for the project whose site has the host as its domain').env(
        'QUIRE_BY_HOST',
      ),
    )
}

/**
 * The id of the project that has all lines; undefined = by host.
 *
 * @throws {OperatorError} when neither is given, or both are typed.
 */
export function readVisited(command: Command, { project, byHost }: VisitedFlags): string | undefined {
  const isTyped = (name: string) => command.getOptionValueSource(name) === 'cli'
  if (isTyped('project') && isTyped('byHost')) {
    throw new OperatorError('--project and --by-host exclude each other.', 2)
  }
  // What is typed wins over what the environment says.
  const projectId = byHost && !isTyped('project') ? undefined : project
  if (projectId !== undefined || byHost) return projectId
  throw new OperatorError('Give --project ID, or --by-host when the log tells the host. See: quire projects list', 2)
}
