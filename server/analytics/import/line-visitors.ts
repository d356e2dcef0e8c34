import { toDay } from '../day.ts'
import { findClient } from '../formats/address.ts'
import type { LineParser, LogLine } from '../formats/log-format.ts'
import type { BatchBuilder } from './batch-builder.ts'
import type { UserAgent } from './user-agents.ts'

/** Finds the visitors of lines: the client in the list of addresses, else the peer. */
export class LineVisitors {
  readonly #trustedProxies: number | undefined
  readonly #client = Buffer.alloc(64)

  /** @param trustedProxies see `findClient` */
  constructor(trustedProxies: number | undefined) {
    this.#trustedProxies = trustedProxies
  }

  /** Returns the number of the line's visitor in the batch, see `BatchBuilder.findVisitor`. */
  find(builder: BatchBuilder, agent: UserAgent, parser: LineParser, line: LogLine): number {
    const { bytes, addressStart, addressEnd, clientStart, clientEnd, atMs } = line
    const day = toDay(atMs)
    const clientBytes = clientEnd > clientStart ? this.#readClient(bytes, clientStart, clientEnd, parser) : 0
    return clientBytes > 0
      ? builder.findVisitor(this.#client, 0, clientBytes, agent, day)
      : builder.findVisitor(bytes, addressStart, addressEnd, agent, day)
  }

  /** Writes the client of the list into `#client`, and returns its length in bytes; 0 when the list has no client. */
  #readClient(bytes: Buffer, start: number, end: number, parser: LineParser): number {
    const list = parser.decodeHeader(bytes.toString('latin1', start, end))
    const client = findClient(list, this.#trustedProxies)
    return client === undefined ? 0 : this.#client.write(client, 'latin1')
  }
}
