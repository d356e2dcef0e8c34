/** A fault that changes nothing that anyone can see, and why. */
export interface Harmless {
  file: string
  /** The line without the spaces around it. */
  line: string
  from: string
  to: string
  reason: string
}

export const harmless: readonly Harmless[] = []
