import { expect, test } from 'vitest'
import type { AgentJob } from '../../server/agent/agent-job.ts'
import { refuseUnstorable } from '../../server/store/agent-jobs.ts'

test.each([
  ['main', 'writer\u0000', 'model has a NUL character (\\u0000).'],
  ['\u0000', 'writer', 'source.ref has a NUL character'],
  ['main', 'writer\ud800', 'model has half of a surrogate pair'],
])('refuses a job with the ref %j and the model %j: %s', (ref, model, message) => {
  const job = { source: { repository: 'https://git.example.com/acme/docs', ref }, model } as AgentJob
  expect(() => refuseUnstorable(job)).toThrow(message)
})
