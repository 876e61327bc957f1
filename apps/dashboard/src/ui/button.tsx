import { Button as AriaButton, type ButtonProps } from 'react-aria-components'

interface Props extends ButtonProps {
  readonly look?: 'plain' | 'primary' | 'danger' | 'quiet'
}

export function Button({ look = 'plain', ...props }: Props) {
  return <AriaButton {...props} className={`button ${look}`} />
}
