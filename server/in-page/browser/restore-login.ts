/** Gives a page of this origin the local storage and the cookies of a recorded login, before its scripts run. */
export default function restoreLogin(origin: string, storage: Record<string, string>, cookies: string[]): void {
  if (location.origin !== origin) return
  try {
    for (const [name, value] of Object.entries(storage)) localStorage.setItem(name, value)
    // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is asynchronous and needs https.
    for (const cookie of cookies) document.cookie = cookie
  } catch {
    // A sandboxed frame has no storage.
  }
}
