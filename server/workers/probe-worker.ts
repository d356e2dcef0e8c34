import { parentPort, workerData } from 'node:worker_threads'
import { probeSite } from '../export/probe-site.ts'
import { readSiteFingerprint } from '../export/site-fingerprint.ts'
import type { ProbeSetup } from './probe-in-thread.ts'

const setup = workerData as ProbeSetup
const origin = new URL(setup.origin)
const work = setup.kind === 'probe' ? probeSite({ ...setup, origin }) : readSiteFingerprint({ ...setup, origin })

// Without an await at the top, because the single binary runs threads as CommonJS. A rejection ends the thread.
void work.then(answer => parentPort?.postMessage(answer))
