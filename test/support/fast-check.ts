import fc from 'fast-check'
import { seed } from './random.ts'

fc.configureGlobal({ seed })

/** fast-check with the seed of the tests. Import it from here: random.test.ts refuses imports of the package. */
export default fc
