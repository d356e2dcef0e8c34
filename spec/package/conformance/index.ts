// The conformance kit as a library, for test suites of servers.
export { type CheckName, checkNames, checks } from './checks.ts'
export { runCommand, type Terminal } from './command.ts'
export { type Answer, ExchangeError, type Request, type Send, type SendOptions } from './exchange.ts'
export type { CheckResult, Failure } from './recorder.ts'
export { type Report, type RunOptions, runConformance } from './run.ts'
export { createSender, type Sender } from './send.ts'
export { RunStopped } from './session.ts'
export type { GivenSettings, Settings } from './settings.ts'
