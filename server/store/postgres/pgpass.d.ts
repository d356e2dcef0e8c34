declare module 'pgpass' {
  interface Server {
    host: string
    port: number
    database: string
    user: string
  }
  /** Finds the password of a server in PGPASSFILE or ~/.pgpass; undefined = it is not there. */
  export default function findPassword(server: Server, done: (password: string | undefined) => void): void
}
