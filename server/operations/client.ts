import type { Caller } from '../tenancy/api-key.ts'

/** Where clients reach the server. */
export interface ServerAddress {
  /** Without a trailing slash, such as https://api.example.com/quire */
  url: string
  /** False when nobody said where clients reach the server: the URL is then the address that the server listens on. */
  isPublic: boolean
}

/** The caller of an operation, and where it reaches the server. */
export interface Client extends Caller {
  address: ServerAddress
}
