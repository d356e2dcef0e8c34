/** Shorter keys are accepted by mocks only, and can be parts of usual words: they are hidden after Bearer only. */
const minLength = 8

const shown = '[API key]'

/** Replaces an API key in what a server sent, so that no error and no log shows it. */
export interface HideKey {
  text(given: string): string
  /** Replaces the key in all texts of parsed JSON. Returns other values, such as streams, unchanged. */
  json<T>(given: T): T
}

export function createHideKey(apiKey: string): HideKey {
  const isShort = apiKey.length < minLength
  const [secret, sign] = isShort ? [`Bearer ${apiKey}`, `Bearer ${shown}`] : [apiKey, shown]
  const text = (given: string) => given.replaceAll(secret, sign)
  return { text, json: given => hideIn(given, text) as typeof given }
}

function hideIn(value: unknown, text: (given: string) => string): unknown {
  if (typeof value === 'string') return text(value)
  if (Array.isArray(value)) return value.map(item => hideIn(item, text))
  // A comparison of prototypes would miss objects of another realm, as in tests with jsdom.
  if (Object.prototype.toString.call(value) !== '[object Object]') return value
  return Object.fromEntries(Object.entries(value as object).map(([name, item]) => [text(name), hideIn(item, text)]))
}
