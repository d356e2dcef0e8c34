import { ByteTable } from './byte-table.ts'

const maxRemembered = 10_000
const longestName = 255 + ':65535'.length

interface Host<Target> {
  name: string
  /** Undefined when it is the domain of no site. */
  target: Target | undefined
  lines: number
}

/** Finds what belongs to a host of a log, and counts the lines of those to which nothing does. */
export class Hosts<Target> {
  #targets: ReadonlyMap<string, Target>
  readonly #table = new ByteTable()
  #hosts: Host<Target>[] = []
  #unknown = new Map<string, Host<Target>>()

  /** @param targets by domain, in lower case */
  constructor(targets: ReadonlyMap<string, Target>) {
    this.#targets = targets
  }

  /** What belonged to a host before may not any more; the lines of unknown hosts stay counted. */
  setTargets(targets: ReadonlyMap<string, Target>): void {
    this.#targets = targets
    this.#table.clear()
    this.#hosts = []
  }

  /** What belongs to the host from `start` up to `hostEnd`, with or without a port; undefined when nothing does. */
  find(bytes: Buffer, start: number, hostEnd: number): Target | undefined {
    const end = Math.min(hostEnd, start + longestName)
    if (this.#table.size >= maxRemembered) this.#forget()
    const number = this.#table.find(bytes, start, end)
    const host = number === -1 ? this.#add(bytes, start, end) : (this.#hosts[number] as Host<Target>)
    host.lines++
    return host.target
  }

  /** Hosts without a target by the number of their lines, most first. Who sends endless names only pushes out rare ones. */
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

  #forget(): void {
    this.#table.clear()
    this.#hosts = []
    const most = [...this.#unknown.values()].sort((a, b) => b.lines - a.lines).slice(0, maxRemembered / 10)
    this.#unknown = new Map(most.map(host => [host.name, host]))
  }
}

/** `Docs.Example.com.:443` -> `docs.example.com` */
function toName(text: string): string {
  const name = text.toLowerCase().replace(/:\d*$/, '').replace(/\.$/, '')
  return /^[!-~]+$/.test(name) ? name : '(unreadable)'
}
