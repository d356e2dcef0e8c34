import type { Caller } from '../tenancy/api-key.ts'

/** Where clients reach the server. */
export interface ServerAddress {
  /** Without a trailing slash, such as https://api.example.com/quire */
  url: string
  /** False if no public URL is known. Then the URL is the address that the server listens on. */
  isPublic: boolean
}

/** The caller of an operation, and where it reaches the server. */
export interface Client extends Caller {
  address: ServerAddress
}
