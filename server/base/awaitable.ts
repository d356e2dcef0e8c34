/**
 * `T` or a promise of `T`. Callers always await it, because SQLite answers synchronously but a network database would not.
 */
export type Awaitable<T> = T | Promise<T>
