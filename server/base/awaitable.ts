/** `T` or a promise of it: SQLite answers synchronously, a network database would not. Callers await it. */
export type Awaitable<T> = T | Promise<T>
