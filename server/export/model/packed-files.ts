/** Folder in the bundle of the scripts that contain a copy of a file. The pages' script names it too: see serve-packed.ts. */
export const packedFolder = '_quire/packed'

/** Bundle path of the script that answers requests on file:// from the copies. */
export const packedScriptPath = '_quire/packed.js'
