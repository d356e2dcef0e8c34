/** The path in the bundle of the search script that every page loads. */
export const searchScriptPath = '_quire/search.js'

/** The folder of the search index. */
export const searchFolder = '_quire/search'

/** Whether our search is beside the site's own search, or instead of one that was removed. */
export type SearchPlace = 'beside' | 'instead'
