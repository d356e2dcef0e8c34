import { type ChangeId, type Level, rules } from './rules.ts'

/** A difference between two documents. */
export interface Change {
  id: ChangeId
  level: Level
  /** A component such as `schema ExportJob.status`, or a part of an operation such as `GET /v1/jobs: 200`. */
  place: string
  /** What changed, and what that does to clients, or to servers that use the stub. */
  text: string
  /** The operationIds that it affects; empty = the whole API. */
  operations: string[]
}

/** Collects changes. The same change of a shared component is listed once, with all operations that use it. */
export class Changes {
  readonly #byKey = new Map<string, Change>()

  add(id: ChangeId, { place, text, operation }: { place: string; text: string; operation?: string | undefined }): void {
    const key = JSON.stringify([id, place, text])
    const { level, why } = rules[id]
    const change = this.#byKey.get(key) ?? { id, level, place, text: why ? `${text} ${why}` : text, operations: [] }
    if (operation !== undefined && !change.operations.includes(operation)) change.operations.push(operation)
    this.#byKey.set(key, change)
  }

  /** The changes, breaking ones first, otherwise in the order of the document. */
  list(): Change[] {
    const order: readonly Level[] = ['breaking', 'not breaking', 'documentation']
    return [...this.#byKey.values()].sort((a, b) => order.indexOf(a.level) - order.indexOf(b.level))
  }
}
