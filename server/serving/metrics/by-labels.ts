/** Values of the labels of one metric. */
export type Labels = Readonly<Record<string, string | number>>

/** One thing for each set of labels that a metric has had. */
export interface ByLabels<T> {
  find(labels: Labels): T
  list(): readonly T[]
}

/** Finds a thing without making a text of the labels, because a server does so up to three times for each request. */
export function createByLabels<T>(names: readonly string[], create: (labels: Labels) => T): ByLabels<T> {
  const things: T[] = []
  const add = (labels: Labels) => {
    const thing = create({ ...labels })
    things.push(thing)
    return thing
  }
  if (names.length === 0) {
    const only = add({})
    return { find: () => only, list: () => things }
  }
  type Branch = Map<string | number | undefined, Branch | T>
  const root: Branch = new Map()
  const last = names.length - 1
  return {
    find(labels) {
      let branch = root
      for (let i = 0; i < last; i += 1) {
        const value = labels[names[i] as string]
        const known = branch.get(value) as Branch | undefined
        const next: Branch = known ?? new Map()
        if (known === undefined) branch.set(value, next)
        branch = next
      }
      const value = labels[names[last] as string]
      const known = branch.get(value) as T | undefined
      if (known !== undefined) return known
      const added = add(labels)
      branch.set(value, added)
      return added
    },
    list: () => things,
  }
}
