/** The host in the address of a repository without a page. Agent jobs need an http(s) URL, and nothing is ever at `.invalid` (RFC 6761). */
export const noPageHost = 'local.invalid'
