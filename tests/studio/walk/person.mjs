// What a person does at the page.

export const goTo = (page, name) => page.getByRole('navigation', { name: 'screens' }).getByRole('link', { name }).click()

export async function clickFile(page, name) {
  await goTo(page, 'Gallery')
  const file = page.locator('.files').getByRole('button', { name })
  const all = page.getByRole('button', { name: /^all \d+$/ })
  await file.or(all).first().waitFor()
  if (!(await file.count())) await all.click()
  await file.click()
}

export async function openFile(page, name) {
  await clickFile(page, name)
  await page.getByText('no problems').waitFor()
}

export const badge = (page) => page.locator('.run-head .badge')

/** −2.1×10⁻⁵ as a number. */
export const plain = (text) => Number(text.replace(/[⁰¹²³⁴-⁹⁻]/g, (c) => '0123456789-'['⁰¹²³⁴⁵⁶⁷⁸⁹⁻'.indexOf(c)]).replace('×10', 'e').replaceAll('−', '-'))

/** A number or several of the figures of an analysis, as the page shows them. */
export async function figures(page, name, key) {
  const folded = page.locator(`#run-${name} details.folded`).filter({ hasText: 'figures' })
  if (!(await folded.evaluate((e) => e.open))) await folded.locator('summary').click()
  const text = await folded.getByRole('row', { name: new RegExp(`^${key}\\b`) }).locator('td').innerText()
  return text.split(/\s+/).map(plain)
}

/** Puts another text in the place of a line. */
export async function retype(page, line, text) {
  await page.locator('.cm-content').click()
  await page.keyboard.press('Control+Home')
  for (let k = 1; k < line; k++) await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Home')
  await page.keyboard.press('Shift+End')
  await page.keyboard.press('Delete')
  await page.keyboard.type(text)
}
