/** Path in the bundle of the script that guarded, frozen and rendered pages load. */
export const runtimePath = '_quire/runtime.js'
