/** What a press of a control did at the origin. */
export interface PressedControl {
  /** As `listControls` names it. */
  key: string
  name: string
  /** Words that the page showed only after the press; the first ones. */
  words: string[]
}

/** The part of a page that a press of a control changed. */
export interface ControlState {
  key: string
  /** How many elements the changed part is above the control. */
  up: number
  /** The changed part after the press, as HTML without scripts. */
  html: string
  /** Whether the page lacked some of its text before the press. */
  isFresh: boolean
  /** Whether the control is in the content, and not in a menu. */
  isContent: boolean
  /** Whether a second press undoes the first one. */
  isToggle: boolean
}

/** What a step of pressing controls found out. */
export interface PressStep {
  isPressed: boolean
  pressed: PressedControl | null
  state: ControlState | null
}

/** A link that was followed, and the heading of the page that it shows. */
export interface FollowedLink {
  name: string
  heading: string
}
