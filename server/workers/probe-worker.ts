import { parentPort, workerData } from 'node:worker_threads'
import { probeSite } from '../export/probe-site.ts'
import type { ProbeSetup } from './probe-in-thread.ts'

const { origin, ...options } = workerData as ProbeSetup

// Without an await at the top, because the single binary runs threads as CommonJS. A rejection ends the thread.
void probeSite({ ...options, origin: new URL(origin) }).then(probe => parentPort?.postMessage(probe))
