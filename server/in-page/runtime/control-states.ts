import { listControls } from '../controls/list-controls.ts'

/** The part of the page that a press has put in place, what was there at first, and the control that was pressed. */
interface Replaced {
  original: Element
  by: string
}

/**
 * Reads what presses of controls changed at the origin. Returns a function that does the same for the control around an
 * element, and returns whether there is one.
 */
export function createStates(): (target: Element) => boolean {
  const states = new Map<string, HTMLTemplateElement>()
  for (const state of document.querySelectorAll<HTMLTemplateElement>('template[data-quire-state]'))
    states.set(state.dataset.quireState ?? '', state)
  if (states.size === 0) return () => false
  const keys = new Map([...listControls()].map(([key, control]) => [control, key]))
  const replaced = new WeakMap<Element, Replaced>()

  function show(control: HTMLElement, key: string, state: HTMLTemplateElement): boolean {
    let part: Element | null = control
    for (let up = Number(state.dataset.quireUp); up > 0; up -= 1) part = part?.parentElement ?? null
    const next = state.content.firstElementChild?.cloneNode(true)
    if (!part || !(next instanceof Element)) return false
    const shown = replaced.get(part)
    const isUndone = shown?.by === key && state.dataset.quireToggles !== undefined
    if (!isUndone) replaced.set(next, { original: shown?.original ?? part, by: key })
    const now = isUndone ? shown.original : next
    part.replaceWith(now)
    const same = [now, ...now.querySelectorAll('*')].find(each => keyOf(each) === key)
    if (same instanceof HTMLElement) same.focus()
    return true
  }

  function keyOf(element: Element): string | undefined {
    return element instanceof HTMLElement ? (element.dataset.quireControl ?? keys.get(element)) : undefined
  }

  return target => {
    for (let control: Element | null = target; control; control = control.parentElement) {
      const key = keyOf(control)
      const state = key === undefined ? undefined : states.get(key)
      if (key !== undefined && state && control instanceof HTMLElement) return show(control, key, state)
    }
    return false
  }
}
