/** The addresses in a web app manifest (W3C appmanifest): icons are files, starts are pages. */
export interface ManifestUrls {
  icons: string[]
  starts: string[]
}

/** Reads a manifest. Text that is not a JSON object has no addresses. */
export function manifestUrls(text: string): ManifestUrls {
  const icons: string[] = []
  const starts: string[] = []
  visit(text, (value, kind) => {
    ;(kind === 'icon' ? icons : starts).push(value)
    return undefined
  })
  return { icons, starts }
}

/**
 * Replaces the addresses of a manifest. If `replace` returns undefined, the address stays unchanged. Text that is not a
 * manifest is returned unchanged.
 */
export function replaceManifestUrls(
  text: string,
  replace: (address: string, kind: 'icon' | 'start') => string | undefined,
): string {
  const changed = visit(text, replace)
  return changed === null || isDeep(changed) ? text : `${JSON.stringify(changed, null, 2)}\n`
}

/** Max length of a manifest: parsed lists take a hundred times the memory of their text. */
const maxCharacters = 1024 ** 2
/** Max levels of a manifest. Indentation would make the text of deeper ones quadratic. */
const maxLevels = 50

function isDeep(value: unknown, level = 0): boolean {
  if (typeof value !== 'object' || value === null) return false
  return level > maxLevels || Object.values(value).some(inner => isDeep(inner, level + 1))
}

type Replace = (address: string, kind: 'icon' | 'start') => string | undefined

/** Visits the members that contain addresses. Returns null if nothing was replaced. */
function visit(text: string, replace: Replace): unknown {
  if (text.length > maxCharacters) return null
  let manifest: unknown
  try {
    manifest = JSON.parse(text)
  } catch {
    return null
  }
  let changes = 0
  function member(object: unknown, name: string, kind: 'icon' | 'start') {
    if (typeof object !== 'object' || object === null) return
    const record = object as Record<string, unknown>
    const address = record[name]
    if (typeof address !== 'string' || address === '') return
    const replacement = replace(address, kind)
    if (replacement === undefined || replacement === address) return
    record[name] = replacement
    changes += 1
  }
  const each = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])
  const root = (typeof manifest === 'object' && manifest !== null ? manifest : {}) as Record<string, unknown>
  for (const icon of [...each(root.icons), ...each(root.screenshots)]) member(icon, 'src', 'icon')
  member(root, 'start_url', 'start')
  member(root, 'scope', 'start')
  for (const shortcut of each(root.shortcuts)) {
    member(shortcut, 'url', 'start')
    for (const icon of each((shortcut as Record<string, unknown> | null)?.icons)) member(icon, 'src', 'icon')
  }
  return changes === 0 ? null : manifest
}
