import { describe, expect, test } from 'vitest'
import { checkBranch, checkFolder, checkSourceUrl, parseAddress } from '../../../server/agent/change/source-names.ts'
import { OperatorError } from '../../../server/base/operator-error.ts'

describe('checkSourceUrl', () => {
  test.each([
    ...['https://git.example.com/team/docs.git', 'https://git.example.com:8443/docs', 'http://127.0.0.1:3000/docs.git'],
    ...[
      'http://localhost/docs',
      'http://[::1]:80/docs',
      'ssh://git@git.example.com:2222/team/docs.git',
      'git@git.example.com:team/docs.git',
    ],
    '/srv/git/docs.git',
  ])('accepts %s', url => {
    expect(checkSourceUrl(url)).toBe(url)
  })

  test.each([
    ...[
      '',
      'docs',
      './docs',
      '../docs',
      'C:\\docs',
      'file:///srv/docs',
      'git://git.example.com/docs',
      'ftp://git.example.com/docs',
    ],
    ...[
      'ext::sh -c id',
      'ext::id',
      'fd::17/x',
      'transport::https://git.example.com/x',
      '-u/bin/sh',
      '--upload-pack=id',
      'git@-oProxyCommand=id:x',
    ],
    ...[
      'ssh://-oProxyCommand=id/x',
      'ssh://-oX@host/x',
      'https://user:secret@git.example.com/x',
      'https://token@git.example.com/x',
    ],
    ...[
      'ssh://git:secret@git.example.com/x',
      'https://git.example.com/x?token=1',
      'https://git.example.com/x#y',
      'https:///x',
    ],
    ...[
      'https://git.example.com/a b',
      'https://git.example.com/a\nb',
      '/srv/a\0b',
      'http://git.example.com/docs',
      `/${'a'.repeat(2000)}`,
    ],
    ...['host:docs', 'javascript:alert(1)'],
  ])('refuses %j', url => {
    expect(() => checkSourceUrl(url)).toThrow(OperatorError)
  })

  test('accepts plain http to another host only if the operator allowed it', () => {
    expect(checkSourceUrl('http://git.example.com/docs', { isHttpAllowed: true })).toBe('http://git.example.com/docs')
  })

  test('never shows the password of an address', () => {
    expect(() => checkSourceUrl('https://user:secret@git.example.com/x')).toThrow(/^(?!.*secret)/)
  })
})

test('reads the address of ssh without a scheme', () => {
  expect(parseAddress('git@git.example.com:team/docs.git')?.href).toBe('ssh://git@git.example.com/team/docs.git')
  expect(parseAddress('/srv/docs.git')).toBeUndefined()
})

describe('checkFolder', () => {
  test.each([
    ['docs', 'docs'],
    ['/docs/guide/', 'docs/guide'],
    ['Dokumente für alle', 'Dokumente für alle'],
  ])('reads %j as %j', (text, folder) => {
    expect(checkFolder(text)).toBe(folder)
  })

  test.each([
    '',
    '/',
    '.',
    '..',
    'docs/..',
    '.github',
    'docs/.git/x',
    'docs//x',
    'a\\b',
    'a:b',
    'a\nb',
    'a\0b',
    'a'.repeat(2000),
  ])('refuses %j', text => {
    expect(() => checkFolder(text)).toThrow(OperatorError)
  })
})

describe('checkBranch', () => {
  test.each(['main', 'docs/next', 'release-1.2', 'quire/aj_1', 'ä', 'a@b'])('accepts %s', name => {
    expect(checkBranch(name)).toBe(name)
  })

  test.each([
    ...[
      '',
      '-x',
      '@',
      'a..b',
      'a b',
      'a~1',
      'a^',
      'a:b',
      'a?',
      'a*',
      'a[',
      'a\\b',
      'a@{1}',
      'a.',
      '.a',
      'a/.b',
      'a.lock',
      'a.lock/b',
      '/a',
    ],
    ...['a/', 'a//b', 'a\nb', 'a\x7fb', 'x'.repeat(300)],
  ])('refuses %j', name => {
    expect(() => checkBranch(name)).toThrow(OperatorError)
  })
})
