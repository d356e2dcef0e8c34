/**
 * Returns the relative address of `to` in the page `from`, both absolute paths. Links between pages are relative, so that
 * they also work behind a proxy that adds a path prefix, and in a folder.
 */
export function relativePath(from: string, to: string): string {
  const base = from.split('/').slice(0, -1)
  const target = to.split('/')
  let shared = 0
  while (shared < base.length && shared < target.length - 1 && base[shared] === target[shared]) shared++
  const steps = [...base.slice(shared).map(() => '..'), ...target.slice(shared)]
  // `a:b` would be an address of the scheme `a`, and `//a` one of the server `a`.
  const isOther = steps[0] === '' || steps[0]?.includes(':')
  return (isOther ? './' : '') + steps.join('/')
}
