import { appendFileSync, readFileSync } from 'node:fs'
import { OperatorError } from '../../../server/base/operator-error.ts'

/** A request and its answer, as a recording has them: one line of JSON. */
export interface Exchange {
  method: string
  /** With the query. */
  path: string
  /** Undefined for a request without a body, and for log lines, which have the addresses of visitors. */
  requestBody?: string
  status: number
  headers: Record<string, string>
  /** Text, or base64 if `isBase64`. Links to the server begin with `recordedOrigin`. */
  body: string
  isBase64?: true
}

/** What a recording has in the place of the address of the server, so that links lead to the mock that replays them. */
export const recordedOrigin = 'http://recorded.invalid'

/**
 * Returns a function that adds an answer to a file, which only its owner can read.
 *
 * @throws {OperatorError} if the file cannot be written
 */
export function openRecording(file: string): (exchange: Exchange) => void {
  const add = (text: string) => appendFileSync(file, text, { mode: 0o600 })
  try {
    add('')
  } catch (error) {
    throw new OperatorError(`--to cannot be written: ${(error as Error).message}`)
  }
  return exchange => add(`${JSON.stringify(exchange)}\n`)
}

/** @throws {OperatorError} with the remedy */
export function readExchanges(file: string): Exchange[] {
  const exchanges = readText(file)
    .split('\n')
    .flatMap((line, index) => (line.trim() === '' ? [] : [readExchange(line, `${file}:${index + 1}`)]))
  if (exchanges.length > 0) return exchanges
  throw new OperatorError(`${file} has no recorded answer. Make one with: quire-mock --record URL --to ${file}`)
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new OperatorError(`--replay cannot read its file: ${(error as Error).message}`)
  }
}

function readExchange(line: string, place: string): Exchange {
  const exchange = parse(line) as Partial<Exchange> | null | undefined
  const { method, path, status, headers, body } = exchange ?? {}
  const isWhole =
    [method, path, body].every(value => typeof value === 'string') &&
    Number.isInteger(status) &&
    Number(status) >= 200 &&
    Number(status) <= 599 &&
    typeof headers === 'object'
  if (isWhole) return exchange as Exchange
  throw new OperatorError(`${place} is not a recorded answer. Remove the line, or record again.`)
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}
