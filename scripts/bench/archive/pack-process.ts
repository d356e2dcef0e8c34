// Child process: node pack-process.ts WRITER FOLDER OUT. Packs the folder twice and sends a PackSample.
import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { listFiles } from '../export/markdown.ts'
import { writers } from './writers.ts'

/** Time for one archive in milliseconds: CPU time (user and system, all threads of the process) and wall time. */
export interface PackTime {
  cpuMs: number
  wallMs: number
}

/** Measurements of one process, which packs a folder twice. */
export interface PackSample {
  /** CPU time to load the modules of archiver; 0 for other writers. */
  loadCpuMs: number
  first: PackTime
  /** The second archive of the process, when the code is already compiled. */
  second: PackTime
  sizeBytes: number
  sha256: string
  /** Peak resident memory of the process. */
  peakBytes: number
}

const [name, folder = '', outFile = ''] = process.argv.slice(2)
const writer = writers.find(each => each.name === name)
if (!writer) throw new Error(`${name} is not a writer. Do not run this file directly; use: npm run bench -- archive`)
const paths = listFiles(folder, '')

const load = startTimer()
if (writer.isArchiver) await import('archiver')
const loadCpuMs = writer.isArchiver ? load().cpuMs : 0
const first = await pack()
const second = await pack()
if (first.sha256 !== second.sha256) throw new Error(`${name} wrote two different archives of the same folder.`)
const sample: PackSample = {
  loadCpuMs,
  first: first.time,
  second: second.time,
  sizeBytes: second.sizeBytes,
  sha256: second.sha256,
  peakBytes: process.resourceUsage().maxRSS * 1024,
}
process.send?.(sample)

/** Packs the folder to a file and computes the hash, as server/export/archive/archive.ts does. */
async function pack() {
  const hash = createHash('sha256')
  let sizeBytes = 0
  const count = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk)
      sizeBytes += chunk.length
      done(null, chunk)
    },
  })
  const stop = startTimer()
  await pipeline((writer as NonNullable<typeof writer>).write(folder, paths), count, createWriteStream(outFile))
  return { time: stop(), sizeBytes, sha256: hash.digest('hex') }
}

function startTimer(): () => PackTime {
  const cpu = process.cpuUsage()
  const startedAt = performance.now()
  return () => {
    const { user, system } = process.cpuUsage(cpu)
    return { cpuMs: (user + system) / 1000, wallMs: performance.now() - startedAt }
  }
}
