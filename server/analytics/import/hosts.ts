import { ByteTable } from '../hash-table.ts'

const maxCached = 10_000
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
    if (this.#table.size >= maxCached) this.#evict()
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
    const name = toName(bytes.toString('latin1', start, end))
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
    const frequent = [...this.#unknown.values()].sort((a, b) => b.lines - a.lines).slice(0, maxCached / 10)
    this.#unknown = new Map(frequent.map(host => [host.name, host]))
  }
}

/** Normalizes a host: `Docs.Example.com.:443` becomes `docs.example.com`. */
function toName(text: string): string {
  const name = text.toLowerCase().replace(/:\d*$/, '').replace(/\.$/, '')
  return /^[!-~]+$/.test(name) ? name : '(unreadable)'
}
