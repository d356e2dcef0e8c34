import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parse, YAMLParseError } from 'yaml'
import { OperatorError } from '../../server/base/operator-error.ts'
import { extensionsFile, indexFile } from '../generate/document.ts'
import { acceptChanges } from './accepted.ts'
import type { Change } from './change.ts'
import { compareDocuments } from './documents.ts'
import type { Part } from './part.ts'
import { judgeVersion, type Verdict } from './verdict.ts'

/** The files of a document, below the top folder of the repository. */
export interface Guarded {
  index: string
  generated: string
  released: string
  /** Changes that somebody has judged as not breaking. */
  accepted: string
}

export const administration: Guarded = {
  index: indexFile,
  generated: 'generated/openapi.yaml',
  released: 'spec/released/openapi.yaml',
  accepted: 'spec/released/accepted.yaml',
}

export const extensions: Guarded = {
  index: extensionsFile,
  generated: 'generated/extensions/openapi.yaml',
  released: 'spec/released/extensions.yaml',
  accepted: 'spec/released/accepted-extensions.yaml',
}

/**
 * Compares a document with the released one, and judges whether it may be released.
 *
 * @param root the top folder of the repository
 * @param document bundled, as generated/openapi.json
 * @param guarded the files of the document
 * @param released a file to compare with instead of the released one
 * @throws {OperatorError} if the released document or the list of accepted changes is unusable
 */
export async function compareWithReleased(
  root: string,
  document: Part,
  guarded = administration,
  released = join(root, guarded.released),
): Promise<{ changes: Change[]; verdict: Verdict }> {
  const before = await readDocument(released)
  const accepted = parseYaml(guarded.accepted, await readFile(join(root, guarded.accepted), 'utf8'))
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
