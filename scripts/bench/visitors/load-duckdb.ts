// Creates a DuckDB database of the visits, sorted by day so that DuckDB can skip days outside a range.
import { DuckDBInstance } from '@duckdb/node-api'
import { readSettings } from './asked-process.ts'

const { file, visits, pages } = readSettings<{ file: string; visits: string; pages: string }>()
const instance = await DuckDBInstance.create(file)
const connection = await instance.connect()
await connection.run(
  `CREATE TABLE visits AS SELECT * FROM read_csv('${visits}', header = false,
     columns = {visitor: 'INTEGER', page: 'USMALLINT', day: 'SMALLINT', mask: 'UTINYINT'})
   ORDER BY day, page, visitor`,
)
await connection.run(
  `CREATE TABLE pages AS SELECT * FROM read_csv('${pages}', header = false, columns = {page: 'USMALLINT', path: 'VARCHAR'})`,
)
connection.closeSync()
instance.closeSync()
