export type Cell = string | number

export type Rows = Iterable<readonly Cell[]>
