import { compose } from './compose.ts'
import { cri } from './cri.ts'
import { docker } from './docker.ts'
import type { Envelope } from './envelope.ts'
import { journald } from './journald.ts'
import { kubectl } from './kubectl.ts'
import { syslog, syslog5424 } from './syslog.ts'

/** All envelopes, which are all detected from the lines. */
export const envelopes: readonly Envelope[] = [syslog, syslog5424, cri, docker, compose, journald, kubectl]
