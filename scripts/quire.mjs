#!/usr/bin/env node
// `npx quire`: the command line on any Node >= 20, the same as `npm run -s quire --`.
process.argv.splice(2, 0, '--quiet', '--production', 'server/main.ts')
await import('./bootstrap.mjs')
