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

/** Returns the methods of nouns as steps. */
export function toSteps<Nouns extends object>(nouns: Nouns): { [Noun in keyof Nouns]: InSteps<Nouns[Noun]> } {
  const wrap = (noun: Record<string, (...given: unknown[]) => unknown>) =>
    Object.fromEntries(
      Object.entries(noun).map(([name, method]) => [name, (...given: unknown[]) => new Step(() => method(...given))]),
    )
  return Object.fromEntries(Object.entries(nouns).map(([name, noun]) => [name, wrap(noun)])) as never
}

/**
 * Makes the steps one after the other, without waiting. An error of a step ends the work.
 *
 * @throws {Error} if a step gives a promise.
 */
export function runSteps<T>(steps: Steps<T>): T {
  const iterator = steps[Symbol.iterator]()
  let next = iterator.next()
  while (!next.done) {
    const answer = next.value.call()
    if (answer instanceof Promise) throw new Error('A transaction of SQLite cannot wait for a promise.')
    next = iterator.next(answer)
  }
  return next.value
}

/** Makes the steps one after the other, and waits for each. An error of a step ends the work. */
export async function awaitSteps<T>(steps: Steps<T>): Promise<T> {
  const iterator = steps[Symbol.iterator]()
  let next = iterator.next()
  while (!next.done) next = iterator.next(await next.value.call())
  return next.value
}
