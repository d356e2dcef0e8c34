/**
 * `T` or a promise of `T`. Callers always await it, because SQLite answers synchronously but a network database would not.
 */
export type Awaitable<T> = T | Promise<T>

/** The methods of an interface where they answer at once, as inside a transaction of SQLite. */
export type AtOnce<Noun> = {
  [Method in keyof Noun]: Noun[Method] extends (...args: infer Given) => infer Answer
    ? (...args: Given) => Awaited<Answer>
    : never
}
