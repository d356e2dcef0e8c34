import type { PackedFiles } from './packed-file.ts'

declare global {
  interface Window {
    /** Called by the scripts of the bundle before they import a module. Returns the address to import instead. */
    __quireModule?: (address: unknown) => Promise<unknown>
  }
}

/** Lets scripts import packed modules. A module that imports others beside itself does not find them. */
export function answerImports(files: PackedFiles): void {
  const known = new Map<string, Promise<string>>()
  window.__quireModule = async given => {
    const address = files.find(given)
    if (address === null) return given
    const module = known.get(address) ?? copy(address)
    known.set(address, module)
    return module
  }

  async function copy(address: string): Promise<string> {
    const { bytes } = await files.read(address)
    // A module that loads files beside itself reads its own address.
    const parts = [`import.meta.url=${JSON.stringify(address)};`, bytes]
    return URL.createObjectURL(new Blob(parts, { type: 'text/javascript' }))
  }
}
