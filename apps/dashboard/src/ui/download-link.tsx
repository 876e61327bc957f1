import { Button } from './button.tsx'

/** Saves a text that is already on the page as a file. */
export function DownloadLink({ text, fileName }: { readonly text: string; readonly fileName: string }) {
  const save = () => {
    const url = URL.createObjectURL(new Blob([text], { type: 'text/plain' }))
    const link = document.createElement('a')
    link.href = url
    link.download = fileName
    link.click()
    URL.revokeObjectURL(url)
  }
  return <Button onPress={save}>Download {fileName}</Button>
}
