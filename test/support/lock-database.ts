import { startProgram } from './program.ts'

const program = `
  import Database from 'better-sqlite3'
  const database = new Database(process.argv[1])
  database.pragma('busy_timeout = 5000')
  database.exec('BEGIN EXCLUSIVE')
  console.log('locked')
  setInterval(() => {}, 1000)`

/** Starts a process that holds the exclusive lock of a database. Returns when it has the lock; `unlock` ends the process. */
export async function lockDatabase(file: string): Promise<{ unlock(): Promise<void> }> {
  const holder = startProgram(['--input-type=module', '--eval', program, file])
  await holder.read(output => output.includes('locked'))
  return {
    async unlock() {
      await holder.end('SIGKILL')
    },
  }
}
