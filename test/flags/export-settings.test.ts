import { expect, test } from 'vitest'
import { readPaths } from '../../server/flags/export-settings.ts'

test.each([
  { given: undefined, want: null },
  { given: ['index'], want: ['/'] },
  { given: ['guides/getting-started', '/guides/getting-started', '/a'], want: ['/guides/getting-started', '/a'] },
])('--path $given is read as the API reads it', ({ given, want }) => {
  expect(readPaths(given)).toEqual(want)
})
