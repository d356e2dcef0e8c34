// The tests of input-check.test.ts, with more requests.
import './input-check.test.ts'
