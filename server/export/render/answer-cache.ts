import { constants } from 'node:fs'
import { mkdir, open } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { BrowserAnswer } from '../../web/browser/browser-request.ts'
import type { Span } from '../model/resource.ts'
import { readSpan } from '../pages/page-work.ts'

/** Keeps the answers of an export, because most pages of a site load the same scripts and data, some of them several times. */
export interface AnswerCache {
  /** Fetches an answer unless it is kept or under way. Failures are not kept. */
  get(key: string, fetch: () => Promise<BrowserAnswer>): Promise<BrowserAnswer>
  put(key: string, answer: BrowserAnswer): void
}

/** An answer whose body is in a file. */
interface StoredAnswer extends Omit<BrowserAnswer, 'body'> {
  span: Span
}

/** Max bytes kept in memory. */
const maxBytes = 64 * 1024 ** 2

/** @param file for the answers that memory has no room for; created when it is needed. */
export function createAnswerCache(file: string): AnswerCache {
  const answers = new Map<string, Promise<BrowserAnswer | StoredAnswer>>()
  let keptBytes = 0
  let endOfFile = 0

  async function store({ body, ...head }: BrowserAnswer): Promise<StoredAnswer> {
    const start = endOfFile
    endOfFile += body.length
    await mkdir(dirname(file), { recursive: true })
    // Opened for each answer, because few sites need the file. Each answer has its place, so several may be written at once.
    const handle = await open(file, constants.O_WRONLY | constants.O_CREAT)
    try {
      for (let written = 0; written < body.length; )
        written += (await handle.write(body, written, undefined, start + written)).bytesWritten
    } finally {
      await handle.close()
    }
    return { ...head, span: { file, start, sizeBytes: body.length } }
  }

  function keep(key: string, answer: BrowserAnswer): void {
    const { length } = answer.body
    if (keptBytes + length <= maxBytes) {
      keptBytes += length
      return
    }
    const stored = store(answer)
    answers.set(key, stored)
    // Without room on the disk, the next page fetches it again.
    stored.catch(() => answers.delete(key))
  }

  return {
    async get(key, fetch) {
      const known = answers.get(key)
      if (known) return read(await known)
      const fetched = fetch()
      answers.set(key, fetched)
      fetched.then(
        answer => keep(key, answer),
        () => answers.delete(key),
      )
      return fetched
    },
    put(key, answer) {
      answers.set(key, Promise.resolve(answer))
      keep(key, answer)
    },
  }
}

async function read(answer: BrowserAnswer | StoredAnswer): Promise<BrowserAnswer> {
  if ('body' in answer) return answer
  const { span, ...head } = answer
  return { ...head, body: await readSpan(span) }
}
