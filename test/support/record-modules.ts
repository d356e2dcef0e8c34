import { appendFileSync } from 'node:fs'
import { registerHooks } from 'node:module'

// Preloaded into a program: appends the address of each module that it loads, in threads too, to the file that the variable names.

const file = process.env.QUIRE_TEST_MODULES ?? ''

registerHooks({
  resolve(specifier, context, next) {
    const resolved = next(specifier, context)
    appendFileSync(file, `${resolved.url}\n`)
    return resolved
  },
})
