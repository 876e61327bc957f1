import { type ReactElement, type ReactNode, useState } from 'react'
import { Dialog as AriaDialog, DialogTrigger, Heading, Modal, ModalOverlay } from 'react-aria-components'

interface Props {
  readonly title: string
  readonly trigger: ReactElement
  /** `hold` keeps Escape from closing it any more. */
  readonly children: (close: () => void, hold: () => void) => ReactNode
}

/** A modal that opens from its trigger. Escape closes it; the focus returns to the trigger. */
export function Dialog({ title, trigger, children }: Props) {
  const [isHeld, setHeld] = useState(false)
  return (
    <DialogTrigger onOpenChange={() => setHeld(false)}>
      {trigger}
      <ModalOverlay className="overlay" isKeyboardDismissDisabled={isHeld}>
        <Modal className="modal">
          <AriaDialog className="dialog">
            {({ close }) => (
              <>
                <Heading slot="title">{title}</Heading>
                {children(close, () => setHeld(true))}
              </>
            )}
          </AriaDialog>
        </Modal>
      </ModalOverlay>
    </DialogTrigger>
  )
}
