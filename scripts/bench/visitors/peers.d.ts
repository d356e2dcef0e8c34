// The API of DuckDB used by the benchmark. The package and its types are installed by `npm run bench`.
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
