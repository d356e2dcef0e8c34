import { expect, test } from 'vitest'
import { findChangelogProblems } from '../../../scripts/release/source.ts'

const changelog = '# Changelog\n\n## 0.10.0 (unreleased)\n\n## 0.2.0 (2026-12-01)\n\n## 0.1.0\n'

test.each([
  ['0.2.0', []],
  ['0.1.0', []],
  ['0.10.0', ['CHANGELOG.md calls 0.10.0 unreleased. Write its day instead.']],
])('the problems of %s are %j', (version, want) => expect(findChangelogProblems(changelog, version)).toEqual(want))

test.each(['0.3.0', '0.1', '10.0'])('%s has no section, so there is no release', version => {
  expect(() => findChangelogProblems(changelog, version)).toThrow(`CHANGELOG.md has no section "## ${version}".`)
})
