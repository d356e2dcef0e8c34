import { parentPort, workerData } from 'node:worker_threads'
import { type IndexTask, indexBundle } from './index-bundle.ts'

const { folder, pages } = workerData as IndexTask
parentPort?.postMessage(indexBundle({ folder, pages }))
