import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parse, YAMLParseError } from 'yaml'
import { OperatorError } from '../../server/base/operator-error.ts'
import { acceptChanges } from './accepted.ts'
import type { Change } from './change.ts'
import { compareDocuments } from './documents.ts'
import type { Part } from './part.ts'
import { judgeVersion, type Verdict } from './verdict.ts'

/** The released document, below the top folder of the repository. */
export const releasedFile = 'spec/released/openapi.yaml'

/** Changes that somebody has judged as not breaking, below the top folder of the repository. */
export const acceptedFile = 'spec/released/accepted.yaml'

/**
 * Compares a document with the released one, and judges whether it may be released.
 *
 * @param root the top folder of the repository
 * @param document bundled, as generated/openapi.json
 * @param released a file to compare with instead of `releasedFile`
 * @throws {OperatorError} if the released document or the list of accepted changes is unusable
 */
export async function compareWithReleased(
  root: string,
  document: Part,
  released = join(root, releasedFile),
): Promise<{ changes: Change[]; verdict: Verdict }> {
  const before = await readDocument(released)
  const accepted = parseYaml(acceptedFile, await readFile(join(root, acceptedFile), 'utf8'))
  const changes = acceptChanges(compareDocuments(before, document), accepted)
  return { changes, verdict: judgeVersion(changes, { released: readVersion(before), current: readVersion(document) }) }
}

/** Reads a document in YAML or JSON. */
export async function readDocument(file: string): Promise<Part> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new OperatorError(`${file} cannot be read (${error.code}). Name the released document with --released.`)
  })
  const document = parseYaml(file, text)
  if (typeof (document as Part | null)?.openapi !== 'string') {
    throw new OperatorError(`${file} is not an OpenAPI document: it has no field openapi.`)
  }
  return document as Part
}

/** Parses YAML, of which JSON is a part. */
function parseYaml(file: string, text: string): unknown {
  try {
    return parse(text, { prettyErrors: true })
  } catch (error) {
    const line = error instanceof YAMLParseError ? `:${error.linePos?.[0].line ?? 1}` : ''
    // The message goes on with the place and an excerpt.
    const [problem = ''] = (error as Error).message.split(/ at line \d+|\n/)
    throw new OperatorError(`${file}${line}: This is not valid YAML or JSON: ${problem}.`)
  }
}

function readVersion({ info }: Part): string {
  return String((info as Part | undefined)?.version)
}
