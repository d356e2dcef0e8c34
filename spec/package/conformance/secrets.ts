/** Replaces secrets in texts, so that no report contains one. */
export interface Secrets {
  /** `name` is what a report shows instead, as a variable of a shell. */
  add(value: string, name: string): void
  mask(text: string): string
}

/** Signatures of links, also of links that the kit does not know. */
const signature = /\b(signature|sig|token|X-Amz-Signature)=[^&"'\s\\]+/gi

/** Shorter keys are accepted by mocks only, and can be parts of usual words: they are masked after Bearer only. */
const minLength = 8

export function createSecrets(): Secrets {
  const names = new Map<string, string>()
  return {
    add(value, name) {
      if (value.length < minLength) return void names.set(`Bearer ${value}`, `Bearer $${name}`)
      for (const form of [value, encodeURIComponent(value), JSON.stringify(value).slice(1, -1)]) {
        names.set(form, `$${name}`)
      }
    },
    mask(text) {
      // The longest first, because one secret can contain another.
      const known = [...names].sort(([a], [b]) => b.length - a.length)
      const masked = known.reduce((rest, [value, shown]) => rest.replaceAll(value, () => shown), text)
      return masked.replaceAll(signature, '$1=$SIGNATURE')
    },
  }
}
