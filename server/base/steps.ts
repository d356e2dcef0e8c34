import type { Awaitable } from './awaitable.ts'

/**
 * The work of a transaction, which gives a `T`: a `Step`, or a generator that makes steps with `yield*`. SQLite makes the steps at once,
 * and a database in the network waits for each.
 */
export type Steps<T> = Iterable<Step<unknown>, T, unknown>

/** A call within a transaction. It is made by `yield*`, which gives its answer; without `yield*`, nothing happens. */
export class Step<T> implements Steps<T> {
  readonly call: () => Awaitable<T>
  constructor(call: () => Awaitable<T>) {
    this.call = call
  }

  *[Symbol.iterator](): Generator<Step<unknown>, T, unknown> {
    return (yield this) as T
  }
}

/** The methods of an interface within a transaction. */
export type InSteps<Noun> = {
  [Method in keyof Noun]: Noun[Method] extends (...args: infer Given) => infer Answer
    ? (...args: Given) => Step<Awaited<Answer>>
    : never
}

/** The methods of nouns within a transaction. */
export type NounsAsSteps<Nouns> = { [Noun in keyof Nouns]: InSteps<Nouns[Noun]> }

/** Steps that were asked for and not made yet. */
type Open = Set<Step<unknown>>

/**
 * Makes the steps of a work one after the other, without waiting. An error of a step ends the work.
 *
 * @throws {Error} if a step gives a promise, or the work asked for a step without `yield*`, so that nothing happened.
 */
export function runSteps<Nouns extends object, T>(nouns: Nouns, work: (nouns: NounsAsSteps<Nouns>) => Steps<T>): T {
  const open: Open = new Set()
  const iterator = work(toSteps(nouns, open))[Symbol.iterator]()
  let next = iterator.next()
  while (!next.done) {
    const answer = make(next.value, open)
    if (answer instanceof Promise) throw new Error('A transaction of SQLite cannot wait for a promise.')
    next = iterator.next(answer)
  }
  refuseForgotten(open)
  return next.value
}

/**
 * Makes the steps of a work one after the other, and waits for each. An error of a step ends the work.
 *
 * @throws {Error} if the work asked for a step without `yield*`, so that nothing happened.
 */
export async function awaitSteps<Nouns extends object, T>(
  nouns: Nouns,
  work: (nouns: NounsAsSteps<Nouns>) => Steps<T>,
): Promise<T> {
  const open: Open = new Set()
  const iterator = work(toSteps(nouns, open))[Symbol.iterator]()
  let next = iterator.next()
  while (!next.done) next = iterator.next(await make(next.value, open))
  refuseForgotten(open)
  return next.value
}

function toSteps<Nouns extends object>(nouns: Nouns, open: Open): NounsAsSteps<Nouns> {
  const ask = (call: () => unknown) => {
    const step = new Step(call)
    open.add(step)
    return step
  }
  const wrap = (noun: Record<string, (...given: unknown[]) => unknown>) =>
    Object.fromEntries(
      Object.entries(noun).map(([name, method]) => [name, (...given: unknown[]) => ask(() => method(...given))]),
    )
  return Object.fromEntries(Object.entries(nouns).map(([name, noun]) => [name, wrap(noun)])) as never
}

function make(step: Step<unknown>, open: Open): unknown {
  open.delete(step)
  return step.call()
}

/** A change without `yield*` would otherwise be lost in silence. */
function refuseForgotten(open: Open): void {
  if (open.size > 0) throw new Error(`${open.size} of the steps of a transaction lack yield*, so they were not made.`)
}
