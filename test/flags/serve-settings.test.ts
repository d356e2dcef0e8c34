import { expect, test } from 'vitest'
import { type NodeFlags, readNode } from '../../server/flags/serve-settings.ts'
import { parseS3Location } from '../../server/store/s3/s3-location.ts'

const database = 'postgres://db.example.com/quire'
const bundles = parseS3Location('s3://bucket')
const linkKeyFile = 'link.key'

test.each<NodeFlags>([
  { role: 'all' },
  { role: 'all', database },
  { role: 'all', database, linkKeyFile },
  { role: 'api', database, bundles, linkKeyFile },
  { role: 'runner', database, bundles, visitorKeyFile: 'visitor.key' },
  { role: 'all', database, node: 'proxy-1' },
])('%j can be used', flags => {
  const { role, linkKeyFile, visitorKeyFile, node } = flags
  expect(readNode(flags)).toEqual({ role, linkKeyFile, visitorKeyFile, node })
})

test.each<[NodeFlags, string | RegExp]>([
  [{ role: 'all', linkKeyFile }, '--link-key-file needs --database.'],
  [{ role: 'all', visitorKeyFile: 'visitor.key' }, '--visitor-key-file needs --database.'],
  [{ role: 'all', node: 'proxy-1' }, '--node needs --database.'],
  [{ role: 'api', bundles }, '--role api needs --database postgres://...'],
  [{ role: 'runner', bundles }, '--role runner needs --database postgres://...'],
  [{ role: 'api', database, linkKeyFile }, '--role api needs --bundles s3://...'],
  [{ role: 'runner', database }, '--role runner needs --bundles s3://...'],
  [{ role: 'api', database, bundles }, '--role api needs --link-key-file'],
  [{ role: 'api' }, /needs --database [^;]+; --bundles [^;]+; --link-key-file, [^;]+\.$/],
])('%j is refused: %s', (flags, reason) => {
  expect(() => readNode(flags)).toThrow(reason)
})
