import { expect, test } from 'vitest'
import { checkFields, textField } from '../../../server/dashboard/parts/field.ts'

test('a refused field takes the focus and is described by its hint and its problem', () => {
  const { text } = textField({ label: 'Name', name: 'name', hint: 'Short.', problem: 'Too long.' })
  expect(text).toContain('aria-describedby="hint-name problem-name" aria-invalid="true" autofocus>')
  expect(text).toContain('id="problem-name">Too long.')
  expect(textField({ label: 'Name', name: 'name' }).text).not.toMatch(/autofocus|aria-invalid/)
})

test('the first box of refused boxes takes the focus', () => {
  const boxes = { read: { label: 'read', checked: false }, write: { label: 'write', checked: true } }
  const { text } = checkFields({ legend: 'Scopes', boxes, problem: 'Choose one.' })
  expect(text.match(/autofocus/g)).toHaveLength(1)
  expect(text).toContain('name="read" aria-invalid="true" autofocus>')
  expect(text).toContain('aria-describedby="problem-read"')
})
