// The tests of clock-steps.test.ts, for more steps of the clock.
import './clock-steps.test.ts'
