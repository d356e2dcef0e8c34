/** The panel of a tab that the page contains only after a click. */
export interface CopiedPanel {
  /** The list of tabs, as `listKey` describes it. */
  list: string
  /** Position of the tab in its list. */
  tab: number
  /** The panel without scripts, as HTML. */
  html: string
}
