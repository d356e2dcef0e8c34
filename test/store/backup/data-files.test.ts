import { expect, test } from 'vitest'
import { isBackedUp } from '../../../server/store/backup/data-files.ts'

test.each([
  ['quire.db', true],
  ['link.key', true],
  ['demo.key', true],
  ['bundles/se_1.zip', true],
  ['demo-access.log', false],
  ['sites/a/pages.db', false],
  ['quire.db-wal', false],
  ['link.key.123', false],
])('%s is in a backup: %j', (path, want) => {
  expect(isBackedUp(path)).toBe(want)
})
