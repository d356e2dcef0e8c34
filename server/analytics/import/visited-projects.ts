import type { Project } from '../../tenancy/project.ts'
import { formats } from '../formats/formats.ts'
import { type LogFormat, LogFormatError, type LogLine } from '../formats/log-format.ts'
import { VisitorHash } from '../visitor.ts'
import type { VisitorKeys } from '../visitor-keys.ts'
import { BatchBuilder } from './batch-builder.ts'
import { Hosts } from './hosts.ts'
import { ImportTally } from './import-tally.ts'

export type VisitedProject = Pick<Project, 'id' | 'visitorSaltRotation'>

/** Projects by the domain of their sites, in lower case. */
export type ProjectsByHost = ReadonlyMap<string, VisitedProject>

/** The counts of one project in a log. */
export interface ProjectViews {
  project: VisitedProject
  tally: ImportTally
}

/** Collects the views of a project. */
export interface ProjectTarget extends ProjectViews {
  builder: BatchBuilder
}

/** The projects whose visits a log contains: one project for all lines, or a project for each host. */
export class VisitedProjects {
  readonly #keys: VisitorKeys
  readonly #targets = new Map<string, ProjectTarget>()
  readonly #hosts: Hosts<ProjectTarget> | undefined
  /** The project of all lines; undefined when projects are found by host. */
  readonly #only: ProjectTarget | undefined
  /** Counts of the lines that belong to no project. */
  readonly common: ImportTally

  constructor(projects: VisitedProject | ProjectsByHost, keys: VisitorKeys) {
    this.#keys = keys
    if (isByHost(projects)) {
      this.#hosts = new Hosts(this.#toTargets(projects))
      this.common = new ImportTally()
    } else {
      this.#only = this.#toTarget(projects)
      this.common = this.#only.tally
    }
  }

  /** @throws {LogFormatError} when projects are found by host, and the lines of a format do not contain it. */
  requireHost({ name, hasHost }: LogFormat): void {
    if (!this.#hosts || hasHost) return
    const names = formats.flatMap(each => (each.hasHost ? [each.name] : [])).join(', ')
    const remedy = name === 'json' ? 'add host=PATH to its fields' : `use a format with the host (${names})`
    throw new LogFormatError(
      `Lines in the format ${name} do not contain the host. Name one project for all lines, or ${remedy}.`,
    )
  }

  /** All projects so far, including those whose sites were removed. */
  get targets(): readonly ProjectTarget[] {
    return [...this.#targets.values()]
  }

  /** See `Hosts.unknown`. */
  get unknownHosts(): Map<string, number> {
    return this.#hosts?.unknown ?? new Map()
  }

  get lines(): number {
    return this.#tallies.reduce((total, { lines }) => total + lines, 0)
  }

  /** The counts of all lines. */
  get tally(): ImportTally {
    const tally = new ImportTally()
    for (const each of this.#tallies) tally.add(each)
    return tally
  }

  /** Finds the project of a line; undefined when its host has no registered site. */
  find({ bytes, hostStart, hostEnd }: LogLine): ProjectTarget | undefined {
    return this.#only ?? this.#hosts?.find(bytes, hostStart, hostEnd)
  }

  /** Replaces the projects by host. */
  setHosts(projects: ProjectsByHost): void {
    this.#hosts?.setTargets(this.#toTargets(projects))
  }

  get #tallies(): ImportTally[] {
    const tallies = this.targets.map(({ tally }) => tally)
    return this.#only ? tallies : [this.common, ...tallies]
  }

  #toTargets(projects: ProjectsByHost): Map<string, ProjectTarget> {
    return new Map([...projects].map(([domain, project]) => [domain, this.#toTarget(project)]))
  }

  #toTarget(project: VisitedProject): ProjectTarget {
    const known = this.#targets.get(project.id)
    if (known) return known
    const hash = new VisitorHash(day => this.#keys.find(project, day), project.visitorSaltRotation)
    const target = { project, tally: new ImportTally(), builder: new BatchBuilder(hash) }
    this.#targets.set(project.id, target)
    return target
  }
}

function isByHost(projects: VisitedProject | ProjectsByHost): projects is ProjectsByHost {
  return projects instanceof Map
}
