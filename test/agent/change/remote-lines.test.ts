import { expect, test } from 'vitest'
import { findRequestLink, readRemoteLines } from '../../../server/agent/change/remote-lines.ts'

const find = (stderr: string) => findRequestLink(readRemoteLines(stderr))

test.each([
  [
    'remote: Visit the existing pull request:        \nremote:   https://git.example.com/team/docs/pulls/12        \n',
    'https://git.example.com/team/docs/pulls/12',
  ],
  [
    'remote:   http://git.example.com/team/docs/pulls/12 merges into main\n',
    'http://git.example.com/team/docs/pulls/12',
  ],
  [
    'remote: View merge request for quire/1:\nremote:   https://gitlab.example.com/team/docs/-/merge_requests/3\n',
    'https://gitlab.example.com/team/docs/-/merge_requests/3',
  ],
])('finds the address in %j', (stderr, link) => {
  expect(find(stderr)).toBe(link)
})

test.each([
  'https://git.example.com/team/docs/pulls/12\n',
  'remote: https://git.example.com/team/docs/compare/main...quire/1\n',
  'remote: https://gitlab.example.com/team/docs/-/merge_requests/new?merge_request%5Bsource_branch%5D=quire\n',
  'remote: javascript:alert(1)/pulls/12\n',
  'remote: data:text/html,/pulls/12\n',
  'remote: https://user:secret@git.example.com/pulls/12\n',
  'remote: https://git.example.com/\x1b[31m/pulls/12\n',
  `remote: https://git.example.com/${'a'.repeat(1_000_000)}/pulls/12\n`,
  'remote: //git.example.com/pulls/12\n',
  'remote: https:///\n',
])('takes no link from %j', stderr => {
  expect(find(stderr)).toBeNull()
})
