// A mock that keeps state, without a server: a function from Request to Response.
export { createMock, type Mock, type RequestPlace } from './mock.ts'
export type { MockOptions } from './options.ts'
export { type ScenarioName, scenarioNames, summaries } from './scenarios.ts'
export type { Settings, SettingTexts } from './settings.ts'
