import { type Command, Option } from 'commander'
import { OperatorError } from '../base/operator-error.ts'
import { projectOption } from './options.ts'

/** The parsed flags for the project of a log. */
export interface VisitedFlags {
  project?: string
  byHost?: boolean
}

/** Adds `--project` and `--by-host`; one of them is required. */
export function addVisitedOptions(command: Command): Command {
  return command
    .addOption(projectOption())
    .addOption(
      new Option(
        '--by-host',
        'assign each line to a project by its host, which must be the domain of a registered site',
      ).env('QUIRE_BY_HOST'),
    )
}

/**
 * Returns the id of the project that all lines belong to; undefined = by host.
 *
 * @throws {OperatorError} when neither is given, or both are typed.
 */
export function readVisited(command: Command, { project, byHost }: VisitedFlags): string | undefined {
  const isTyped = (name: string) => command.getOptionValueSource(name) === 'cli'
  if (isTyped('project') && isTyped('byHost')) {
    throw new OperatorError('--project and --by-host cannot be combined.', 2)
  }
  // Flags override the environment.
  const projectId = byHost && !isTyped('project') ? undefined : project
  if (projectId !== undefined || byHost) return projectId
  throw new OperatorError(
    'Give --project ID, or --by-host if the log contains the host. See: npx quire projects list',
    2,
  )
}
