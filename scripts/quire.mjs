#!/usr/bin/env node
// The command line on any Node >= 20. In a clone, it is the same as `npm run -s quire --`. An installed package has compiled code
// instead, because Node runs no TypeScript in node_modules.
import { existsSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..')

if (existsSync(join(root, 'server', 'main.ts'))) {
  process.argv.splice(2, 0, '--quiet', '--production', 'server/main.ts')
  await import('./bootstrap.mjs')
} else {
  const { findNode } = await import('./set-up/find-node.mjs')
  const { runOnNode } = await import('./set-up/run-on-node.mjs')
  const node = findNode(root)
  if (node === undefined) {
    process.stderr.write(
      'The Node that Quire runs on is not installed. Install Quire again, without --omit=optional.\n',
    )
    process.exit(1)
  }
  runOnNode(node, root, ['dist/server/main.js', ...process.argv.slice(2)])
}
