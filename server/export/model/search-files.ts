/** Bundle path of the search script that every page loads. */
export const searchScriptPath = '_quire/search.js'

/** The folder of the search index. */
export const searchFolder = '_quire/search'

/** Whether our search is shown beside the site's own search or replaces a removed search. */
export type SearchPlace = 'beside' | 'instead'
