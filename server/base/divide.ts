/** Divides values into lists of at most `size`. */
export function* divide<Value>(values: Iterable<Value>, size: number): Generator<Value[]> {
  let part: Value[] = []
  for (const value of values) {
    if (part.push(value) < size) continue
    yield part
    part = []
  }
  if (part.length > 0) yield part
}
