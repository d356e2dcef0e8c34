import { listControls, press, shownWords } from '../panels/list-controls.ts'
import type { PressedControl } from '../panels/pressed-control.ts'

/** How long a control may take, also on a busy machine. Nearly all take one turn. */
const maxMs = 1500
const maxTurns = 60
const turnMs = 15

/** Presses the controls that worked at the origin. Returns the names of those that do not do the same here. */
export default async function tryControls(expected: readonly PressedControl[]): Promise<string[]> {
  const dead: string[] = []
  // Tabs come last, because they hide the controls in other panels.
  const isTab = ({ key }: PressedControl) => listControls().get(key)?.role === 'tab'
  const ordered = [...expected.filter(each => !isTab(each)), ...expected.filter(isTab)]
  for (const { key, name, words } of ordered) {
    // A press may replace controls, also the pressed one.
    const find = () => listControls().get(key)
    const control = find()
    if (!control?.checkVisibility() || !(await hasEffect(control, words))) dead.push(name)
    else if (control.role !== 'tab') pressAgain(find())
  }
  return dead
}

function pressAgain(control: HTMLElement | undefined): void {
  if (control) press(control)
}

async function hasEffect(control: HTMLElement, words: readonly string[]): Promise<boolean> {
  const before = shownWords()
  let changes = 0
  const observer = new MutationObserver(records => {
    changes += records.filter(({ attributeName }) => attributeName !== 'tabindex').length
  })
  observer.observe(document, { attributes: true, childList: true, characterData: true, subtree: true })
  press(control)
  try {
    const end = performance.now() + maxMs
    for (let turns = 0; turns < maxTurns || performance.now() < end; turns += 1) {
      await new Promise(resolve => setTimeout(resolve, turnMs))
      if (words.length === 0 && changes > 0) return true
      if (words.length === 0 || changes === 0) continue
      const shown = shownWords()
      if (words.filter(word => shown.has(word) && !before.has(word)).length * 2 >= words.length) return true
    }
    return false
  } finally {
    observer.disconnect()
  }
}
