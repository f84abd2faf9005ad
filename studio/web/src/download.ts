/** Gives a file to the person at the page. */
export function saveBlob(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), 10000)
}

export const saveText = (text: string, name: string, type = 'text/csv'): void => saveBlob(new Blob([text], { type: `${type};charset=utf-8` }), name)
