// What the benchmark uses of DuckDB. Its own types are there only after `npm run bench` has installed it.
declare module '@duckdb/node-api' {
  interface Reader {
    getRows(): unknown[][]
  }

  interface Statement {
    bind(values: Record<string, number>): void
    runAndReadAll(): Promise<Reader>
  }

  interface Connection {
    run(sql: string): Promise<unknown>
    prepare(sql: string): Promise<Statement>
    closeSync(): void
  }

  export class DuckDBInstance {
    static create(file: string, options?: Record<string, string>): Promise<DuckDBInstance>
    connect(): Promise<Connection>
    closeSync(): void
  }
}
