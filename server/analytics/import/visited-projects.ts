import { isDeepStrictEqual } from 'node:util'
import { type OwnAgentList, type Project, usualCounting } from '../../tenancy/project.ts'
import { formats } from '../formats/formats.ts'
import { type LogFormat, LogFormatError, type LogLine } from '../formats/log-format.ts'
import { ByteTable } from '../hash-table.ts'
import { VisitorHash } from '../visitor.ts'
import type { VisitorKeys } from '../visitor-keys.ts'
import { BatchBuilder } from './batch-builder.ts'
import { ImportTally } from './import-tally.ts'
import { ProjectCounting } from './project-counting.ts'

export type VisitedProject = Pick<Project, 'id' | 'visitorSaltRotation' | 'visitorRules' | 'counting'>

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
  /** Undefined = the usual settings. */
  counting: ProjectCounting | undefined
}

/** The projects whose visits a log contains: one project for all lines, or a project for each host. */
export class VisitedProjects {
  readonly #keys: VisitorKeys
  readonly #agents: OwnAgentList | undefined
  readonly #targets = new Map<string, ProjectTarget>()
  readonly #hosts: Hosts<ProjectTarget> | undefined
  /** The project of all lines; undefined when projects are found by host. */
  readonly #only: ProjectTarget | undefined
  /** Counts of the lines that belong to no project. */
  readonly common: ImportTally

  /** @param agents see `LogSettings` */
  constructor(projects: VisitedProject | ProjectsByHost, keys: VisitorKeys, agents?: OwnAgentList) {
    this.#keys = keys
    this.#agents = agents
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

  /** Replaces the projects by host, or the settings of the only project. */
  set(projects: VisitedProject | ProjectsByHost): void {
    if (isByHost(projects)) this.#hosts?.setTargets(this.#toTargets(projects))
    else this.#toTarget(projects)
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
    const isUnchanged = known && isDeepStrictEqual(known.project.counting, project.counting)
    const counting = isUnchanged ? known.counting : toCounting(project, this.#agents)
    if (known) return Object.assign(known, { project, counting })
    const hash = new VisitorHash(day => this.#keys.find(project, day), project.visitorSaltRotation)
    const target = { project, tally: new ImportTally(), builder: new BatchBuilder(hash), counting }
    this.#targets.set(project.id, target)
    return target
  }
}

/**
 * Returns the settings of a project; undefined = the usual ones.
 *
 * @param agents see `LogSettings`
 */
export function toCounting(
  { counting = usualCounting }: Pick<VisitedProject, 'counting'>,
  agents?: OwnAgentList,
): ProjectCounting | undefined {
  const isUsual = agents === undefined && isDeepStrictEqual(counting, usualCounting)
  return isUsual ? undefined : new ProjectCounting(counting, agents)
}

function isByHost(projects: VisitedProject | ProjectsByHost): projects is ProjectsByHost {
  return projects instanceof Map
}

const maxCachedHosts = 10_000
const maxNameBytes = 255 + ':65535'.length

interface Host<Target> {
  name: string
  /** Undefined when no site is registered for the host. */
  target: Target | undefined
  lines: number
}

/** Finds the target of a host in a log, and counts the lines of hosts without a target. */
export class Hosts<Target> {
  #targets: ReadonlyMap<string, Target>
  readonly #table = new ByteTable()
  #hosts: Host<Target>[] = []
  #unknown = new Map<string, Host<Target>>()

  /** @param targets by domain, in lower case */
  constructor(targets: ReadonlyMap<string, Target>) {
    this.#targets = targets
  }

  /** Replaces all targets and keeps the line counts of unknown hosts. */
  setTargets(targets: ReadonlyMap<string, Target>): void {
    this.#targets = targets
    this.#table.clear()
    this.#hosts = []
  }

  /** Finds the target of the host from `start` up to `hostEnd`, with or without port; undefined when there is none. */
  find(bytes: Buffer, start: number, hostEnd: number): Target | undefined {
    const end = Math.min(hostEnd, start + maxNameBytes)
    if (this.#table.size >= maxCachedHosts) this.#evict()
    const number = this.#table.find(bytes, start, end)
    const host = number === -1 ? this.#add(bytes, start, end) : (this.#hosts[number] as Host<Target>)
    host.lines++
    return host.target
  }

  /**
   * Hosts without a target and their line counts, highest first. A large number of invented names evicts only rare hosts.
   */
  get unknown(): Map<string, number> {
    const hosts = [...this.#unknown.values()].sort((a, b) => b.lines - a.lines)
    return new Map(hosts.map(({ name, lines }) => [name, lines]))
  }

  #add(bytes: Buffer, start: number, end: number): Host<Target> {
    const name = toHostName(bytes.toString('latin1', start, end))
    const target = this.#targets.get(name)
    const host = (target === undefined ? this.#unknown.get(name) : undefined) ?? { name, target, lines: 0 }
    if (target === undefined) this.#unknown.set(name, host)
    this.#table.add(bytes, start, end)
    this.#hosts.push(host)
    return host
  }

  #evict(): void {
    this.#table.clear()
    this.#hosts = []
    const frequent = [...this.#unknown.values()].sort((a, b) => b.lines - a.lines).slice(0, maxCachedHosts / 10)
    this.#unknown = new Map(frequent.map(host => [host.name, host]))
  }
}

/** Normalizes a host: `Docs.Example.com.:443` becomes `docs.example.com`. */
function toHostName(text: string): string {
  const name = text.toLowerCase().replace(/:\d*$/, '').replace(/\.$/, '')
  return /^[!-~]+$/.test(name) ? name : '(unreadable)'
}
