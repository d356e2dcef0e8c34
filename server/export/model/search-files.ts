/** Where the search lies in a bundle: the script that every page names. */
export const searchScriptPath = '_quire/search.js'

/** The folder with its index. */
export const searchFolder = '_quire/search'

/** Beside the search of the site, where that runs, or instead of one that is gone from the page. */
export type SearchPlace = 'beside' | 'instead'
