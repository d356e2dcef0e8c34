import { fork } from 'node:child_process'
import { rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { OperatorError } from '../../../server/base/operator-error.ts'
import { listFiles } from '../export/markdown.ts'
import { nextMessage } from '../next-message.ts'
import type { PackSample } from './pack-process.ts'
import { writers, type ZipWriter } from './writers.ts'

export interface Corpus {
  name: string
  folder: string
}

/** All samples of one writer, in the order of the rounds. */
export interface WriterRun {
  writer: string
  samples: PackSample[]
}

export interface CorpusResult {
  name: string
  files: number
  sizeBytes: number
  runs: WriterRun[]
}

const packProcess = join(import.meta.dirname, 'pack-process.ts')

/**
 * Packs a folder with every writer in every round, each time in a new process. Each round begins with a different writer.
 *
 * @throws {OperatorError} when two writers give different bytes.
 */
export async function runCorpus({ name, folder }: Corpus, rounds: number, outFile: string): Promise<CorpusResult> {
  const runs: WriterRun[] = writers.map(({ name }) => ({ writer: name, samples: [] }))
  for (let round = 0; round < rounds; round += 1) {
    for (let turn = 0; turn < writers.length; turn += 1) {
      const index = (round + turn) % writers.length
      runs[index]?.samples.push(await packOnce(writers[index] as ZipWriter, folder, outFile))
    }
  }
  const hashes = new Set(runs.flatMap(({ samples }) => samples.map(({ sha256 }) => sha256)))
  if (hashes.size > 1) throw new OperatorError(`The writers gave ${hashes.size} different archives of ${name}.`)
  const paths = listFiles(folder, '')
  const sizes = await Promise.all(paths.map(async path => (await stat(join(folder, path))).size))
  return { name, files: paths.length, sizeBytes: sizes.reduce((sum, size) => sum + size, 0), runs }
}

async function packOnce(writer: ZipWriter, folder: string, outFile: string): Promise<PackSample> {
  const child = fork(packProcess, [writer.name, folder, outFile])
  const endWithUs = () => child.kill('SIGKILL')
  process.once('exit', endWithUs)
  try {
    return (await nextMessage(child, writer.name)) as PackSample
  } finally {
    process.off('exit', endWithUs)
    await rm(outFile, { force: true })
  }
}
