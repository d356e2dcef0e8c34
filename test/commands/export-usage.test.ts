import { CommanderError } from 'commander'
import { describe, expect, test } from 'vitest'
import { OperatorError } from '../../server/base/operator-error.ts'
import { exportCommand } from '../../server/commands/export.ts'
import { nameOutput } from '../../server/commands/output-file.ts'

test.each([
  ['docs.example.com', 'zip', 'docs.example.com.zip'],
  ['http://127.0.0.1:8787/docs/', 'zip', '127.0.0.1-8787-docs.zip'],
  ['https://docs.example.com/', 'tar.gz', 'docs.example.com.tar.gz'],
  ['https://docs.example.com/a b/../%2e%2e/c/', 'zip', 'docs.example.com-c.zip'],
  ['http://[::1]/', 'zip', '1.zip'],
] as const)('without an output, the export of %s is named after it', (site, format, name) => {
  expect(nameOutput(site, format)).toBe(name)
})

describe('refuses wrong usage with one clear line', () => {
  test.each<[string, string[], RegExp]>([
    ['no site', ['-o', 'x.zip'], /missing required argument 'domain-or-url'/],
    [
      'a site with --check',
      ['docs.example.com', '--check', 'x.zip'],
      /^--check verifies a bundle and exports nothing\. Leave out docs\.example\.com, or leave out --check\.$/,
    ],
    ['an output with --check', ['--check', 'x.zip', '-o', 'y.zip'], /exports nothing\. Leave out --output\.$/],
    ['a path with --check', ['--check', 'x.zip', '--path', '/a'], /exports nothing\. Leave out --path\.$/],
    [
      'a missing bundle',
      ['--check', '/no/such.zip'],
      /^--check \/no\/such\.zip: there is no such file or folder\. Name/,
    ],
    ['an empty bundle name', ['--check', ''], /It must be a bundle, such as docs\.zip/],
    [
      'an allowed origin with a path',
      ['docs.example.com', '-o', 'x', '--allow-origin', 'http://10.0.0.7/images/'],
      /^--allow-origin http:\/\/10\.0\.0\.7\/images\/ must be scheme, host and port/,
    ],
    [
      'no domain',
      ['not a domain', '-o', 'x.zip'],
      /^not a domain is neither a bare host name nor a URL\. Examples: docs\.example\.com, http:\/\/127\.0\.0\.1:3000\/$/,
    ],
    ['another scheme', ['ftp://docs.example.com/', '-o', 'x.zip'], /^The site must be an http\(s\) URL/],
    [
      'a user in the URL',
      ['https://user:secret@docs.example.com/', '-o', 'x.zip'],
      /^The site must be an http\(s\) URL without user/,
    ],
    ['an unknown format', ['docs.example.com', '-o', 'x', '--format', 'rar'], /Allowed choices are zip, tar\.gz/],
    [
      'an invalid path',
      ['docs.example.com', '-o', 'x', '--path', '/a/../b'],
      /^--path \/a\/\.\.\/b must be the path of a page without query, .*\. Examples: \/guide\/install, guide\/install, index$/,
    ],
    [
      'a path with a space',
      ['docs.example.com', '-o', 'x', '--path', 'getting started'],
      /^--path getting started must be the path of a page .*; write a space as %20\. /,
    ],
    ['an empty exclusion', ['docs.example.com', '-o', 'x', '--exclude', ''], /^--exclude is empty\. Give it a value/],
    [
      'an empty header',
      ['docs.example.com', '-o', 'x', '--header', ' '],
      /^--header is empty\. Give a header, such as/,
    ],
    [
      'an invalid selector',
      ['docs.example.com', '-o', 'x', '--remove-selector', 'a b'],
      /^--remove-selector: "a b" cannot be read/,
    ],
    ['an invalid number', ['docs.example.com', '-o', 'x', '--max-pages', '0'], /It must be a whole number from 1/],
    [
      'a feature that the deployment cannot have',
      ['docs.example.com', '-o', 'x', '--feature', 'search'],
      /^features\.search cannot be true for the deployment air-gapped/,
    ],
    ['an unknown feature', ['docs.example.com', '-o', 'x', '--feature', 'coffee'], /^--feature coffee is unknown/],
    [
      'a missing folder',
      ['docs.example.com', '-o', '/no/such/folder/x.zip'],
      /^--output \/no\/such\/folder\/x\.zip cannot be written \(the folder \/no\/such\/folder does not exist\)\.$/,
    ],
    ['a folder for a file', ['docs.example.com', '-o', '/'], /^--output \/ is a folder/],
  ])('%s', async (_, args, line) => {
    const command = exportCommand()
      .exitOverride()
      .configureOutput({ writeErr() {} })
    const error = await command.parseAsync(args, { from: 'user' }).catch(error => error)
    expect(error.message).toMatch(line)
    // Commander's own errors become 2 in main.ts.
    if (error instanceof OperatorError) expect(error.exitCode).toBe(2)
    else expect(error).toBeInstanceOf(CommanderError)
  })
})
