import { expect, test } from 'vitest'
import { readAgentJob } from '../../server/agent/agent-job-file.ts'

const now = Date.UTC(2026, 10, 22)

const line = {
  id: 'aj_1',
  status: 'completed',
  source: { repository: 'https://git.example.com/acme/docs', ref: 'main' },
  model: 'writer-2',
  prLink: 'https://git.example.com/acme/docs/pull/7',
  createdAt: '2026-11-20T10:00:00Z',
  archivedAt: null,
}

test('reads a job in the form that the API returns', () => {
  expect(readAgentJob(JSON.stringify(line), 'prj_1', now)).toEqual({
    ...line,
    projectId: 'prj_1',
    createdAt: Date.UTC(2026, 10, 20, 10),
  })
})

test('stores addresses with every character escaped', () => {
  const repository = 'HTTPS://Git.Example.com/a b'
  const job = readAgentJob(
    JSON.stringify({ ...line, source: { repository }, prLink: 'https://a.example/ü' }),
    'prj_1',
    now,
  )
  expect(job.source.repository).toBe('https://git.example.com/a%20b')
  expect(job.prLink).toBe('https://a.example/%C3%BC')
})

test.each([
  ['{', 'not valid JSON'],
  ['[]', 'must be a JSON object'],
  [{ ...line, id: '' }, 'id must be'],
  [{ ...line, id: 'a/b' }, 'id must have only letters'],
  [{ ...line, id: 'a b' }, 'id must have only letters'],
  [{ ...line, status: 'done' }, 'status must be one of active, completed, archived, failed'],
  [{ ...line, source: null }, 'source must be an object'],
  [{ ...line, source: { repository: 'acme/docs' } }, 'source.repository must be a full URL'],
  [{ ...line, source: { repository: 'ssh://git@a.example/b' } }, 'source.repository must be a full URL with http'],
  [{ ...line, prLink: 'javascript:alert(1)' }, 'prLink must be a full URL with http'],
  [{ ...line, model: 7 }, 'model must be'],
  [{ ...line, prLink: 'pull/7' }, 'prLink must be a full URL'],
  [{ ...line, status: 'active' }, 'prLink must be null while'],
  [{ ...line, status: 'archived' }, 'archivedAt must be set'],
  [
    { ...line, source: { repository: 'https://user:secret@git.example.com/a' } },
    'source.repository has a user or a password, which every reader of the API would see. Leave them out.',
  ],
  [{ ...line, prLink: 'https://token@git.example.com/a/pull/7' }, 'prLink has a user or a password'],
  [{ ...line, createdAt: '2026-11-23T00:00:01Z' }, 'createdAt 2026-11-23T00:00:01Z is more than a day in the future.'],
  [{ ...line, createdAt: 'yesterday' }, 'createdAt must be an RFC 3339 time'],
])('refuses %j: %s', (given, message) => {
  expect(() => readAgentJob(typeof given === 'string' ? given : JSON.stringify(given), 'prj_1', now)).toThrow(message)
})

test('accepts a job of a clock that is less than a day ahead', () => {
  const job = readAgentJob(JSON.stringify({ ...line, createdAt: '2026-11-23T00:00:00Z' }), 'prj_1', now)
  expect(job.createdAt).toBe(now + 24 * 60 * 60 * 1000)
})
