/** `T` now, or a promise of it: SQLite answers at once, a database over a network would not. Callers await. */
export type Awaitable<T> = T | Promise<T>
