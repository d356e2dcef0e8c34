/** Where the search lies in a bundle: the script that every page names. */
export const searchScriptPath = '_quire/search.js'

/** The folder with its index. */
export const searchFolder = '_quire/search'
